import { expect, it } from "vitest"
import { builtinProfileNames, rolePromptOf } from "../../../../domain/prompts/role-prompts.ts"

it.each(builtinProfileNames)("the prompt of %s says what its reader is to it", (name) => {
  expect(rolePromptOf(name, undefined)).toContain("You are a sub-agent that")
  for (const reader of ["person", "thread"] as const) {
    const prompt = rolePromptOf(name, undefined, reader)
    expect(prompt).toContain("You are an agent that")
    expect(prompt).not.toContain("You are a sub-agent")
    expect(prompt).not.toContain("The caller does not see your steps")
  }
  expect(rolePromptOf(name, undefined, "thread")).toContain("can answer your questions")
  expect(rolePromptOf(name, "My own.", "thread")).toBe("My own.")
})
