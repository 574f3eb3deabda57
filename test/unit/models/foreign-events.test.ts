import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnthropicAnswer } from "../../../models/anthropic/anthropic-answer.ts"
import type { GrowingAnswer } from "../../../models/answer/growing-answer.ts"
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

const responsesOf = (...events: readonly unknown[]) => outcomeOf(new OpenAiAnswer(() => {}, {}), events)
const messagesOf = (...events: readonly unknown[]) => outcomeOf(new AnthropicAnswer(() => {}, {}), events)
const called = { type: "function_call", call_id: "c", name: "Read", arguments: "{}" }

describe("what servers send that imitate an API", () => {
  it.each([
    ["response.incomplete", { output: [called], incomplete_details: { reason: "max_output_tokens" } }, "max_tokens"],
    ["response.incomplete", { output: [called] }, "unknown"],
    ["response.incomplete", { output: [called], status: "completed" }, "unknown"],
    ["response.completed", { output: [called], incomplete_details: { reason: "content_filter" } }, "tool_calls"],
    ["response.completed", { output: [called] }, "tool_calls"],
  ])("ends as its event says if the status is left out or contradicts it: %s, %j", (type, body, stop) => {
    expect(responsesOf({ type, response: body })).toMatchObject({ stop })
  })

  it.each([
    [{ output: [called], incomplete_details: { reason: "content_filter" } }, "refusal"],
    [{ output: [called] }, "tool_calls"],
  ])("ends as a whole response without a status says: %j", (body, stop) => {
    expect(responsesOf({ object: "response", ...body })).toMatchObject({ stop })
  })

  it.each([
    ["no output", { output: [] }],
    ["only the call", { output: [called] }],
    ["a message without content", { output: [{ type: "message", content: [] }, called] }],
  ])("keeps the streamed text of a response that has %s", (_what, body) => {
    const read = responsesOf(
      { type: "response.output_text.delta", delta: "he" },
      { type: "response.output_text.delta", delta: "ron" },
      { type: "response.completed", response: body },
    )
    const texts = (read?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []))
    expect(texts.join("")).toBe("heron")
  })

  it("keeps every block of a message that gives each the same index", () => {
    const start = (contentBlock: unknown) => ({ type: "content_block_start", index: 0, content_block: contentBlock })
    const delta = (fields: unknown) => ({ type: "content_block_delta", index: 0, delta: fields })
    const read = messagesOf(
      start({ type: "thinking", thinking: "" }),
      delta({ type: "thinking_delta", thinking: "hm" }),
      start({ type: "text", text: "" }),
      delta({ type: "text_delta", text: "heron" }),
      start({ type: "tool_use", id: "t", name: "Read", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"a":1}' }),
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
    )
    expect(read?.parts).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "heron" },
      { type: "tool_call", call: { id: "t", arguments: { a: 1 } } },
    ])
  })

  it("keeps pieces of a text whose block did not begin", () => {
    const read = messagesOf(
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "he" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ron" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
    )
    expect(read?.parts).toEqual([{ type: "text", text: "heron" }])
  })

  it.each(["heron", { type: "text", text: "heron" }])(
    "reads a whole message whose content is not a list: %j",
    (content) => {
      const read = messagesOf({ type: "message", content, stop_reason: "end_turn" })
      expect(read?.parts).toEqual([{ type: "text", text: "heron" }])
    },
  )
})
