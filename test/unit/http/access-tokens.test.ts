import { expect, test } from "vitest"
import { createAccessTokens } from "../../../http/security/access-tokens.ts"

test("a token that changes is accepted with its new value only, and an unusable value changes nothing", () => {
  const env: Record<string, string> = { CI_TOKEN: "first-token", ADJUTANT_API_TOKEN: "main-token" }
  const tokens = createAccessTokens([{ name: "ci", tokenEnv: "CI_TOKEN", scopes: ["read"] }], env)
  expect(tokens.callerOf("first-token")?.name).toBe("ci")
  env["CI_TOKEN"] = "second-token"
  expect(tokens.callerOf("first-token")).toBeUndefined()
  expect(tokens.callerOf("second-token")?.name).toBe("ci")
  env["CI_TOKEN"] = ""
  expect(tokens.callerOf("")).toBeUndefined()
  expect(tokens.callerOf("second-token")?.name).toBe("ci")
})
