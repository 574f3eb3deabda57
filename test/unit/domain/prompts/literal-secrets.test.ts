import { expect, test } from "vitest"
import { isLiteralSecret, profileProblems } from "../../../../domain/profiles/profile-problems.ts"
import { agentProfileSchema } from "../../../../contracts/config/agent-profile.ts"

test.each([
  ["ANTHROPIC_API_KEY", "abc", true],
  ["DB_PASSWORD", "x", true],
  ["MODE", "sk-ant-123456", true],
  ["API_KEY", "", false],
  ["KEYBOARD", "de", false],
  ["MAX_TOKENS", "100", false],
])("whether a variable in a file is a secret: %s=%s", (name, value, expected) => {
  expect(isLiteralSecret(name, value)).toBe(expected)
})

test("a profile with a secret in the file is refused, without its value", () => {
  const profile = agentProfileSchema.parse({
    type: "binary",
    command: "claude",
    env: { API_KEY: "hunter2", MODE: "x" },
  })
  const problems = profileProblems(profile, null)
  expect(problems).toEqual([
    {
      path: ["env", "API_KEY"],
      message: expect.stringMatching(/looks like a secret.*envFrom: \{ API_KEY: <variable> \}/),
    },
  ])
  expect(JSON.stringify(problems)).not.toContain("hunter2")
})
