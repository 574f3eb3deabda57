import { describe, expect, it } from "vitest"
import type { AssistantPart } from "../../../../../contracts/message.ts"
import { withNamedCalls } from "../../../../../domain/tools/search/named-calls.ts"
import { toolCallsOf } from "../../../../../domain/transcript/tool-calls.ts"

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
const answer = { role: "assistant", provider: "scripted", model: "m", parts: [], usage, stop: "tool_calls" } as const

const named = (args: Record<string, unknown> | null, name = "call_tool") => {
  const part: AssistantPart = { type: "tool_call", call: { id: "c", name, arguments: args }, opaque: { id: "fc_1" } }
  const message = withNamedCalls({ ...answer, parts: [part] })
  expect(message.parts).toMatchObject([{ opaque: { id: "fc_1" } }])
  return toolCallsOf(message)[0]
}

describe("withNamedCalls", () => {
  it.each([
    { name: "T", arguments: { a: 1 } },
    { name: "T", arguments: '{"a": 1}' },
    { tool_name: "T", args: { a: 1 } },
    { name: "T", a: 1 },
  ])("reads %j as a call of the tool", (args) => {
    expect(named(args)).toEqual({ id: "c", name: "T", arguments: { a: 1 }, by_call_tool: true })
  })

  it("reads a call without arguments as one with none", () => {
    expect(named({ name: "T" })).toEqual({ id: "c", name: "T", arguments: {}, by_call_tool: true })
    expect(named({ name: "T", arguments: "" })).toMatchObject({ arguments: {} })
  })

  it.each([
    { arguments: {} },
    { name: 5, arguments: {} },
    { name: "call_tool", arguments: { name: "T", arguments: {} } },
    { name: "T", arguments: "[1" },
    { name: "T", arguments: [1] },
    null,
  ])("leaves %j as it is", (args) => {
    expect(named(args)).toEqual({ id: "c", name: "call_tool", arguments: args })
  })

  it("leaves arguments as they are that nest deeper than what else comes from outside", () => {
    const text = (depth: number) => `{"a": ${"[".repeat(depth)}${"]".repeat(depth)}}`
    expect(named({ name: "T", arguments: text(199) })).toMatchObject({ name: "T", by_call_tool: true })
    const deep = { name: "T", arguments: text(100_000) }
    expect(named(deep)).toEqual({ id: "c", name: "call_tool", arguments: deep })
  })

  it("leaves other tools as they are", () => {
    expect(named({ name: "T", arguments: {} }, "other")).toMatchObject({ name: "other" })
  })
})
