import { expect, it } from "vitest"
import { contextForProgram, textWithContext } from "../../../../domain/prompts/task-context.ts"

const pieces = [{ content: "one" }, { name: "log", content: "two" }, { content: " " }]

it("puts the context before the task of a model", () => {
  expect(textWithContext("Do it.", pieces)).toBe(
    "=== CONTEXT (from previous work) ===\none\n\n=== CONTEXT: log ===\ntwo\n\n=== YOUR TASK ===\nDo it.",
  )
  expect(textWithContext("Do it.")).toBe("Do it.")
})

it("gives the context to a program as one text", () => {
  expect(contextForProgram(pieces)).toBe("one\n\n# log\ntwo")
  expect(contextForProgram([])).toBeUndefined()
})
