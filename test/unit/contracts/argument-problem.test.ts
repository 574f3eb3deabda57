import { describe, expect, it } from "vitest"
import { argumentProblem } from "../../../contracts/argument-problem.ts"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import { dynamicSubagentTaskInputSchema, waitForTasksInputSchema } from "../../../contracts/delegation/tasks-input.ts"
import type { z } from "zod"

const problem = (schema: z.ZodType, input: unknown): string => {
  const parsed = schema.safeParse(input)
  return parsed.success ? "none" : argumentProblem(parsed.error)
}

describe("argumentProblem", () => {
  it.each([
    [{ description: "d", instructions: "i", tools: [] }, "tools: must not be empty"],
    [{ description: "d", instructions: "i" }, "tools: is missing"],
    [{ description: "", tools: ["Read"] }, "description: must not be empty; instructions: is missing"],
    [{ description: "d", instructions: "i", tools: ["Read"], more: 1 }, 'unknown key: "more"'],
    [{ description: "d", instructions: "i", tools: "Read" }, "tools: expected array, received string"],
    [
      { description: "d", instructions: "i", tools: ["Read"], max_steps: 999 },
      "max_steps: expected number to be <=256",
    ],
  ])("%j: names every field", (input, text) => {
    expect(problem(dynamicSubagentTaskInputSchema, input)).toBe(text)
  })

  it("describes the arguments of wait_for_tasks", () => {
    const text = "task_ids: must be a list of task ids, or one text with ids separated by spaces"
    expect(problem(waitForTasksInputSchema, {})).toBe(text)
    expect(problem(waitForTasksInputSchema, { task_ids: 7 })).toBe(text)
    expect(problem(waitForTasksInputSchema, { task_ids: [] })).toBe("task_ids: must not be empty")
  })
})

describe("the arguments of sessions_spawn", () => {
  it("have the defaults of their schema", () => {
    expect(sessionsSpawnInputSchema.parse({ task: "x" })).toEqual({
      task: "x",
      thread: false,
      cleanup: "keep",
      sandbox: "inherit",
    })
  })
})
