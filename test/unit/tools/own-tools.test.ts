import { expect, test } from "vitest"
import { z } from "zod"
import { builtInTools, findTool } from "../../../tools/own-tools.ts"
import { todoWrite } from "../../../tools/todo-write.ts"
import { call, createWorkspace } from "./workspace.ts"

test("the tools have the order in which models see them, and their safety marks", () => {
  expect(builtInTools.map(({ name, readOnly, idempotent }) => [name, readOnly, idempotent])).toEqual([
    ["LS", true, true],
    ["Glob", true, true],
    ["Grep", true, true],
    ["Read", true, true],
    ["Write", false, false],
    ["Edit", false, false],
    ["MultiEdit", false, false],
    ["apply_patch", false, false],
    ["Bash", false, false],
    ["WebFetch", false, true],
    ["TodoWrite", true, true],
  ])
})

test.each(builtInTools)("$name rejects unknown fields and has a description and an object's JSON schema", (tool) => {
  expect(tool.input.safeParse({ nonsense: 1 }).success).toBe(false)
  expect(z.toJSONSchema(tool.input)).toMatchObject({ type: "object", additionalProperties: false })
  expect(tool.description.length).toBeGreaterThan(100)
})

test("a tool is found by its exact name", () => {
  expect(findTool("Read")?.name).toBe("Read")
  expect(findTool("read")).toBeUndefined()
  expect(findTool("constructor")).toBeUndefined()
})

test("TodoWrite replaces the list and shows it", async () => {
  const { context, todos } = createWorkspace()
  const list = [
    { content: "one", status: "completed" },
    { content: "two", status: "in_progress" },
  ]
  expect((await call(todoWrite, { todos: list }, context)).content).toBe("The list is now:\n[x] one\n[>] two")
  expect(todos()).toEqual(list)
  const pending = await call(todoWrite, { todos: [{ content: "one", status: "pending" }] }, context)
  expect(pending.content).toContain("in_progress")
})
