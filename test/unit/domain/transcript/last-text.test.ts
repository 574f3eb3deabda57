import { describe, expect, it } from "vitest"
import type { AssistantMessage, Message, UserSource } from "../../../../contracts/message.ts"
import { lastText } from "../../../../domain/transcript/last-text.ts"

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

const assistant = (text: string, stop: AssistantMessage["stop"] = "end_turn"): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "demo",
  parts: text === "" ? [] : [{ type: "text", text }],
  usage,
  stop,
})
const user = (source: UserSource): Message => ({ role: "user", source, text: "…" })
const result: Message = { role: "tool", call_id: "c", name: "Read", outcome: "ok", content: "…" }

const of = (...messages: readonly Message[]): string =>
  lastText(
    messages.map((message) => ({ runId: "r1", message })),
    "r1",
  )

describe("lastText", () => {
  it("joins a truncated answer with its continuations", () => {
    expect(of(assistant("a", "max_tokens"), user("notice"), assistant("b", "max_tokens"), assistant("c"))).toBe("abc")
    expect(of(assistant("a", "pause_turn"), assistant("b"))).toBe("ab")
  })

  it("returns only the last of two whole answers", () => {
    expect(of(assistant("a"), assistant("b"))).toBe("b")
    expect(of(assistant("a", "max_tokens"), user("input"), assistant("b"))).toBe("b")
    expect(of(assistant("a", "max_tokens"), result, assistant("b"))).toBe("b")
  })

  it("skips messages without text", () => {
    expect(of(assistant("a"), result, assistant(""))).toBe("a")
    expect(of(user("input"))).toBe("")
  })

  it("ignores other runs", () => {
    expect(lastText([{ runId: "r0", message: assistant("a") }], "r1")).toBe("")
  })
})
