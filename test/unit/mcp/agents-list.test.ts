import { expect, it } from "vitest"
import { type ConfigInput, configSchema } from "../../../contracts/config/config.ts"
import type { McpContext, ClientToolCall } from "../../../mcp/mcp-context.ts"
import { handlerOf } from "../../../mcp/tools/client-sub-agents.ts"
import { openSettings } from "../sessions/settings/settings-rig.ts"

const secret = "value-of-the-variable"
const config: ConfigInput = {
  models: { main: { provider: "openai-compatible", model: "qwen", baseUrl: "http://127.0.0.1:1/v1" } },
  agents: {
    general: { delegation: "sessions" },
    counter: { type: "binary", command: "./count.sh", env: { TOKEN: secret } },
    hidden: { prompt: "Not for callers." },
  },
  subagents: { allowAgents: ["counter"] },
}

/** `agents_list` as an MCP client calls it. */
const overMcp = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
  const { client } = await openSettings(config, {})
  const context = { loaded: { config: configSchema.parse(config) }, client, toolsets: ["sessions"] }
  const agentsList = handlerOf("agents_list")
  const reply = await agentsList?.(context as unknown as McpContext, { args } as unknown as ClientToolCall)
  return reply?.kind === "answer" ? JSON.stringify([reply.answer.text, reply.answer.structured]) : String(reply?.kind)
}

/** `agents_list` as the model of a run calls it. */
const inRun = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
  const rig = await openSettings(config, {})
  const answer = await rig.agentCalls(await rig.start(), { tool: "agents_list", args })
  return JSON.stringify(answer)
}

it.each([
  ["over MCP", overMcp],
  ["inside a run", inRun],
])("returns the settings of an allowed profile without the values of its variables: %s", async (_, list) => {
  expect(await list({})).toContain("counter")
  const one = await list({ agentId: "counter" })
  expect(one).toContain("/count.sh")
  expect(one).toContain("[redacted]")
  expect(one).not.toContain(secret)
  expect(await list({ agentId: "hidden" })).toContain("agentId: must be one of counter")
})
