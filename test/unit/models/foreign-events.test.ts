import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnthropicAnswer } from "../../../models/anthropic/anthropic-answer.ts"
import type { GrowingAnswer } from "../../../models/growing-answer.ts"
import { ReportedFailure } from "../../../models/failure/reported-failure.ts"
import { ModelError } from "../../../models/model-error.ts"
import { OpenAiAnswer } from "../../../models/openai/openai-answer.ts"

const field = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })
const mixed = (known: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: field })
const index = fc.oneof(fc.nat(3), field)

const responsesItem = fc.record({
  type: fc.constantFrom("message", "reasoning", "function_call", "web_search_call"),
  id: mixed(fc.string()),
  content: mixed(fc.array(fc.record({ type: fc.constantFrom("output_text", "refusal"), text: field, refusal: field }))),
  summary: mixed(fc.array(fc.record({ text: field }))),
  call_id: mixed(fc.string()),
  name: mixed(fc.string()),
  arguments: mixed(fc.constant("{}")),
})
const response = fc.record({
  object: mixed(fc.constant("response")),
  status: mixed(fc.constantFrom("completed", "incomplete", "failed")),
  output: mixed(fc.array(mixed(responsesItem), { maxLength: 3 })),
  error: field,
  incomplete_details: mixed(fc.record({ reason: field })),
  usage: mixed(fc.record({ input_tokens: field, output_tokens: field, input_tokens_details: field })),
})
const responsesEvent = fc.record({
  type: fc.constantFrom(
    "response.output_text.delta",
    "response.reasoning_text.delta",
    "response.output_item.done",
    "response.completed",
    "response.incomplete",
  ),
  delta: field,
  output_index: index,
  item: mixed(responsesItem),
  response: mixed(response),
})

const block = fc.record({
  type: fc.constantFrom("text", "thinking", "tool_use", "server_tool_use"),
  text: field,
  thinking: field,
  id: field,
  name: mixed(fc.string()),
  input: field,
})
const messagesEvent = fc.record({
  type: fc.constantFrom(
    "message",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
  ),
  index,
  message: mixed(fc.record({ usage: field })),
  content: mixed(fc.array(mixed(block), { maxLength: 3 })),
  content_block: mixed(block),
  delta: mixed(
    fc.record({
      type: fc.constantFrom("text_delta", "thinking_delta", "signature_delta", "input_json_delta"),
      text: field,
      thinking: field,
      signature: field,
      partial_json: field,
      stop_reason: mixed(fc.constantFrom("end_turn", "tool_use")),
    }),
  ),
  stop_reason: mixed(fc.constantFrom("end_turn", "tool_use")),
  usage: mixed(fc.record({ input_tokens: field, output_tokens: field, output_tokens_details: field })),
})

const readers: readonly (readonly [string, () => GrowingAnswer, fc.Arbitrary<unknown>])[] = [
  ["Responses", () => new OpenAiAnswer(() => {}, {}), responsesEvent],
  ["Messages", () => new AnthropicAnswer(() => {}, {}), messagesEvent],
]

/** Returns the counts and texts of an answer, or the classified failure. */
const outcomeOf = (answer: GrowingAnswer, events: readonly unknown[]) => {
  try {
    for (const event of events) answer.add(event)
    return answer.finish(1, (call) => call)
  } catch (error) {
    if (error instanceof ModelError || error instanceof ReportedFailure) return undefined
    throw error
  }
}

describe.each(readers)("events of %s", (_api, createAnswer, event) => {
  it("are an answer or a classified failure, whatever any field is", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.jsonValue()), { maxLength: 6 }), (events) => {
        const read = outcomeOf(createAnswer(), events)
        const counts = read === undefined ? [] : Object.values(read.usage)
        const texts = (read?.parts ?? []).map((part) =>
          part.type === "text" || part.type === "reasoning" ? part.text : "",
        )
        expect(counts.every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true)
        expect(texts.every((text) => typeof text === "string")).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
