import { expect, test } from "vitest"
import { programInput } from "../../../../domain/programs/program-input.ts"

const delegated = { delegationId: "abc123", task: "say {{context}} $& \0", context: "now", tokenBudget: null }

test("the words of a run replace their names once, and other braces stay", () => {
  expect(programInput({ args: ["-p", "{{ task }} / {{context}} / {{.Names}}"], stdin: "{{task}}" }, delegated)).toEqual(
    {
      args: ["-p", "say {{context}} $&  / now / {{.Names}}"],
      stdin: "say {{context}} $& \0",
    },
  )
})

test("a program gets one JSON object, or nothing if its profile says so", () => {
  expect(JSON.parse(programInput({ args: [] }, delegated).stdin)).toEqual(delegated)
  expect(programInput({ args: [], stdin: "" }, delegated).stdin).toBe("")
})
