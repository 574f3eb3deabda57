import type { FakeReply, SseEvent } from "./fake-provider-server.ts"

/** A content block as it is streamed: text, thinking and input arrive in the given pieces. */
export type AnthropicBlock =
  | { readonly type: "text"; readonly pieces: readonly string[] }
  | { readonly type: "thinking"; readonly pieces: readonly string[]; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly pieces: readonly string[] }

export interface AnthropicAnswerOptions {
  readonly stopReason?: string
  readonly usage?: Readonly<Record<string, unknown>>
  readonly model?: string
}

/** Returns a whole Messages stream. */
export const createAnthropicAnswer = (
  blocks: readonly AnthropicBlock[],
  options: AnthropicAnswerOptions = {},
): FakeReply => ({
  kind: "sse",
  events: createAnthropicEvents(blocks, options),
})

export const createAnthropicText = (text: string, options: AnthropicAnswerOptions = {}): FakeReply =>
  createAnthropicAnswer([{ type: "text", pieces: [text] }], options)

/** Returns a stream that breaks off, or stays open, after `count` events. */
export const createPartialAnthropicAnswer = (
  blocks: readonly AnthropicBlock[],
  count: number,
  ending: "cut" | "hang" | "end",
): FakeReply => ({ kind: "sse", events: createAnthropicEvents(blocks, {}).slice(0, count), ending })

/** Returns an error as the API's body, e.g. status 529 with `overloaded_error`. */
export const createAnthropicError = (
  status: number,
  error: { readonly type: string; readonly message: string; readonly details?: unknown },
  headers: Readonly<Record<string, string>> = {},
): FakeReply => ({ kind: "http", status, headers, body: { type: "error", error, request_id: "req_fake" } })

/** Returns an error that arrives as an event after the stream has begun. */
export const createAnthropicStreamError = (type: string, message: string): FakeReply => ({
  kind: "sse",
  events: [
    ...createAnthropicEvents([], {}).slice(0, 1),
    { event: "error", data: { type: "error", error: { type, message } } },
  ],
})

function createAnthropicEvents(blocks: readonly AnthropicBlock[], options: AnthropicAnswerOptions): SseEvent[] {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const message = {
    id: "msg_fake",
    type: "message",
    role: "assistant",
    model: options.model ?? "claude-fake",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, ...options.usage },
  }
  const stop = options.stopReason ?? (blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn")
  return [
    createEvent({ type: "message_start", message }),
    createEvent({ type: "ping" }),
    ...blocks.flatMap(createBlockEvents),
    createEvent({
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: 20, ...options.usage },
    }),
    createEvent({ type: "message_stop" }),
  ]
}

function createBlockEvents(block: AnthropicBlock, index: number): SseEvent[] {
  return [
    createEvent({ type: "content_block_start", index, content_block: createBlockStart(block) }),
    ...createDeltas(block).map((delta) => createEvent({ type: "content_block_delta", index, delta })),
    createEvent({ type: "content_block_stop", index }),
  ]
}

function createBlockStart(block: AnthropicBlock): unknown {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  if (block.type === "redacted_thinking") return block
  return { type: "tool_use", id: block.id, name: block.name, input: {} }
}

function createDeltas(block: AnthropicBlock): unknown[] {
  if (block.type === "text") return block.pieces.map((text) => ({ type: "text_delta", text }))
  if (block.type === "redacted_thinking") return []
  if (block.type === "tool_use") return block.pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }))
  const thoughts = block.pieces.map((thinking) => ({ type: "thinking_delta", thinking }))
  return [...thoughts, { type: "signature_delta", signature: block.signature }]
}

const createEvent = (data: { readonly type: string; readonly [key: string]: unknown }): SseEvent => ({
  event: data.type,
  data,
})
