import type { McpServer, ServerContext } from "@modelcontextprotocol/server"
import { expect, it } from "vitest"
import { toolCall } from "../../../../mcp/transport/tool-call.ts"
import type { RemoteActor } from "../../../../sessions/actor.ts"

const mcp = { server: { getClientCapabilities: () => ({}), getClientVersion: () => ({}) } } as unknown as McpServer
const ctx = {
  mcpReq: { signal: new AbortController().signal, requestState: () => undefined },
} as unknown as ServerContext
const settings = { readOnly: false, answerLimits: { plainMs: 1, progressMs: 1 } }

it("holds no half of a surrogate pair, which a client can send as JSON", () => {
  const args: unknown = JSON.parse(String.raw`{"description":"a\ud83d","tools":["\ude00","\ud83d\ude00"]}`)
  const call = toolCall(mcp, ctx, { args, actor: {} as RemoteActor, settings })
  expect(call.args).toEqual({ description: "a\ufffd", tools: ["\ufffd", "\u{1f600}"] })
})
