import { describe, expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { toAnthropicMessages } from "../../../../models/anthropic/anthropic-messages.ts"
import {
  createAssistantMessage,
  createCallPart,
  createToolResult,
  createUserMessage,
} from "../../../helpers/providers/model-request.ts"

const asked = { provider: "anthropic", model: "claude-opus-5-5" } as const
const convert = (...messages: Message[]) => toAnthropicMessages({ messages }, asked, (name) => name)

const thinking = { type: "thinking", thinking: "hm", signature: "s" }

describe("toAnthropicMessages", () => {
  it("groups the results of one step into one user message, in the order of the calls, texts after them", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([createCallPart("a"), createCallPart("b")]),
      createToolResult("b", "result b"),
      createUserMessage("steer"),
      createToolResult("a", "result a"),
      createUserMessage("and this"),
    )
    expect(wire.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "result a" },
        { type: "tool_result", tool_use_id: "b", content: "result b" },
        { type: "text", text: "steer" },
        { type: "text", text: "and this" },
      ],
    })
  })

  it.each([
    ["ok", undefined],
    ["custom", undefined],
    ["error", true],
    ["rejected", true],
    ["skipped", true],
    ["unknown", true],
  ] as const)("turns outcome %s of a result into is_error %s", (outcome, isError) => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([createCallPart("a")]),
      createToolResult("a", "x", { outcome }),
    )
    expect(wire.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "x", ...(isError ? { is_error: true } : {}) },
    ])
  })

  it("returns thinking only to the model that produced it", () => {
    const answer = [{ type: "reasoning", text: "hm", opaque: thinking }, createCallPart("a")] as const
    const contentOf = (fields: Parameters<typeof createAssistantMessage>[1]) =>
      convert(createUserMessage("go"), createAssistantMessage(answer, fields), createToolResult("a", "x"))[1]?.content
    expect(contentOf({})).toMatchObject([thinking, { type: "tool_use" }])
    expect(contentOf({ model: "claude-haiku-5-5" })).toMatchObject([{ type: "tool_use" }])
    expect(contentOf({ provider: "openai" })).toMatchObject([{ type: "tool_use" }])
  })

  it("never sends reasoning text as text", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([
        { type: "reasoning", text: "secret thought" },
        { type: "text", text: "hello" },
      ]),
      createUserMessage("more"),
    )
    expect(JSON.stringify(wire)).not.toContain("secret thought")
  })

  it("shows the model the arguments that could not be parsed", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([createCallPart("a", null, "{oops")]),
      createToolResult("a", "bad"),
    )
    expect(wire[1]?.content).toEqual([{ type: "tool_use", id: "a", name: "Read", input: { INVALID_JSON: "{oops" } }])
  })

  it("sends neither empty texts nor empty messages", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([{ type: "text", text: " \n" }]),
      createUserMessage(""),
      createUserMessage("on"),
    )
    expect(wire).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "user", content: [{ type: "text", text: "on" }] },
    ])
  })

  it("replaces an empty result with words, and adds a result to a call without one", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([createCallPart("a"), createCallPart("b")]),
      createToolResult("a", ""),
    )
    expect(wire.at(-1)?.content).toMatchObject([
      { tool_use_id: "a", content: "(no output)" },
      { tool_use_id: "b", is_error: true, content: expect.stringContaining("No result") },
    ])
  })

  it("drops thinking that was truncated before its signature or at the end of a message", () => {
    const unsigned = { type: "reasoning", text: "h", opaque: { ...thinking, signature: "" } } as const
    const trailing = { type: "reasoning", text: "hm", opaque: thinking } as const
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([unsigned, { type: "text", text: "cut" }, trailing], { stop: "max_tokens" }),
      createUserMessage("continue"),
    )
    expect(wire[1]?.content).toEqual([{ type: "text", text: "cut" }])
  })

  it("allows a paused turn as the last message, and ends every other prompt with the user", () => {
    const paused = createAssistantMessage([{ type: "text", text: "searching" }], { stop: "pause_turn" })
    expect(convert(createUserMessage("go"), paused).at(-1)?.role).toBe("assistant")
    const cut = createAssistantMessage([{ type: "text", text: "half" }], { stop: "max_tokens" })
    expect(convert(createUserMessage("go"), cut).at(-1)).toEqual({
      role: "user",
      content: [{ type: "text", text: "Continue." }],
    })
  })

  it("keeps call ids valid and unique over the whole transcript", () => {
    const wire = convert(
      createUserMessage("go"),
      createAssistantMessage([createCallPart("call.1"), createCallPart("call.1~2")], { provider: "openai-compatible" }),
      createToolResult("call.1", "one"),
      createToolResult("call.1~2", "two"),
      createAssistantMessage([createCallPart("call.1")], { provider: "openai-compatible" }),
      createToolResult("call.1", "three"),
    )
    const ids = wire.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) : [],
    )
    expect(new Set(ids).size).toBe(3)
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true)
    expect(wire.at(-1)?.content).toEqual([{ type: "tool_result", tool_use_id: ids[2], content: "three" }])
  })
})
