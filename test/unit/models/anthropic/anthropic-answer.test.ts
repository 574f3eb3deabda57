import { expect, it } from "vitest"
import { AnthropicAnswer } from "../../../../models/anthropic/anthropic-answer.ts"

it("keeps a counter that a later event has without a value", () => {
  const answer = new AnthropicAnswer(() => undefined, {})
  const counted = { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 30, output_tokens: 1 }
  const later = { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 }
  const block = { type: "text", text: "" }
  for (const event of [
    { type: "message_start", message: { usage: counted } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: later },
    { type: "message_stop" },
  ])
    answer.add(event)
  expect(answer.finish(1, (name) => name).usage).toMatchObject({
    inputTokens: 10,
    cacheReadTokens: 20,
    cacheWriteTokens: 30,
    outputTokens: 7,
  })
})
