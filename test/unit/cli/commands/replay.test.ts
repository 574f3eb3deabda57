import { expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { session, stubEnvironment } from "../stub-environment.ts"

it.each([
  ["--model", "light"],
  ["--from-step", "2"],
  ["--budget-usd", "1"],
  ["--budget-tokens", "100"],
])("replay --as-test refuses %s, since it calls no model", async (option, value) => {
  const stub = stubEnvironment({
    client: { info: async (id) => session({ id }), resolveTarget: async (target) => target },
  })
  const argv = ["replay", "abc123", "--as-test", "tests", option, value]
  expect(await runCli(argv, stub.environment)).toBe(2)
  expect(stub.written.stderr).toContain("--as-test calls no model: omit")
})

it.each([
  ["--from-step", "0"],
  ["--budget-tokens", "-1"],
  ["--as-test", " "],
])("replay refuses %s %j", async (option, value) => {
  const stub = stubEnvironment()
  expect(await runCli(["replay", "abc123", option, value], stub.environment)).toBe(2)
})
