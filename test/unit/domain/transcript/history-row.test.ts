import { expect, it } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { historyRow } from "../../../../domain/transcript/history-row.ts"

it("historyRow shows a call whose arguments could not be parsed without arguments", () => {
  const message: Message = {
    role: "assistant",
    provider: "scripted",
    model: "demo",
    parts: [
      { type: "reasoning", text: "hidden" },
      { type: "text", text: "Looking." },
      { type: "tool_call", call: { id: "c1", name: "Read", arguments: null, raw_arguments: "{" } },
    ],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    stop: "tool_calls",
  }
  expect(historyRow({ seq: 3, message })).toEqual({
    seq: 3,
    role: "assistant",
    text: "Looking.",
    calls: [{ id: "c1", name: "Read", arguments: "{}" }],
  })
})
