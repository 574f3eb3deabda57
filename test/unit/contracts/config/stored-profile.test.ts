import { expect, it } from "vitest"
import { agentRules } from "../../../../config/trust/agent-rules.ts"
import { storedProfileSchema } from "../../../../contracts/config/stored-profile.ts"

/** The keys of profiles whose presence in a file can need trust. */
const dangerous = Object.entries("each" in agentRules ? agentRules.each : {})
  .filter(([, rule]) => rule !== "harmless")
  .map(([key]) => key)

it("accepts no key that needs trust in a file", () => {
  expect(dangerous).toEqual(expect.arrayContaining(["command", "args", "env", "credentials"]))
  const accepted = storedProfileSchema.options.flatMap(({ shape }) => Object.keys(shape))
  // A list of tools needs trust if it widens a built-in profile, whose name no profile in the store can have; settings for sub-agents and for messages are harmless in parts.
  const allowed = ["tools", "subagents", "notify"]
  expect(accepted.filter((key) => dangerous.includes(key) && !allowed.includes(key))).toEqual([])
})

it.each([
  [{ type: "binary", command: "/bin/sh" }, "must be llm or mcp-bridge"],
  [{ prompt: "x", credentials: { openai: { apiKeyEnv: "SOME_SECRET" } } }, "credentials"],
  [{ prompt: "x", command: "/bin/sh" }, "command"],
  [{ type: "mcp-bridge", mcpTool: "docs" }, "must be a tool of an MCP server"],
])("refuses %o", (profile, problem) => {
  const parsed = storedProfileSchema.safeParse(profile)
  expect(parsed.success ? "accepted" : JSON.stringify(parsed.error.issues)).toContain(problem)
})
