import type { FakeReply, SseEvent } from "./fake-provider-server.ts"

/** An output item as the Responses API returns it. */
export type OpenAiItem = { readonly type: string; readonly id: string; readonly [key: string]: unknown }

export interface OpenAiAnswerOptions {
  readonly status?: "completed" | "incomplete" | "failed"
  readonly incompleteReason?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly usage?: unknown
}

export const createOpenAiMessage = (
  id: string,
  text: string,
  extra: Readonly<Record<string, unknown>> = {},
): OpenAiItem => ({
  id,
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
  ...extra,
})

export const createOpenAiReasoningItem = (id: string, summary: string, encrypted: string): OpenAiItem => ({
  id,
  type: "reasoning",
  summary: [{ type: "summary_text", text: summary }],
  encrypted_content: encrypted,
})

export const createOpenAiCall = (
  id: string,
  callId: string,
  call: { readonly name: string; readonly args: string },
): OpenAiItem => ({
  id,
  type: "function_call",
  call_id: callId,
  name: call.name,
  arguments: call.args,
  status: "completed",
})

/** Returns a whole Responses stream. */
export const createOpenAiAnswer = (items: readonly OpenAiItem[], options: OpenAiAnswerOptions = {}): FakeReply => ({
  kind: "sse",
  events: createOpenAiEvents(items, options),
})

/** Returns a stream that breaks off, ends or stays open after `count` events. */
export const createPartialOpenAiAnswer = (
  items: readonly OpenAiItem[],
  count: number,
  ending: "cut" | "hang" | "end",
): FakeReply => ({
  kind: "sse",
  events: createOpenAiEvents(items, {}).slice(0, count),
  ending,
})

/** Returns an error body of the OpenAI API and of servers that imitate it. */
export const createOpenAiError = (
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): FakeReply => ({ kind: "http", status, headers, body: { error } })

function createOpenAiEvents(items: readonly OpenAiItem[], options: OpenAiAnswerOptions): SseEvent[] {
  const status = options.status ?? "completed"
  const response = {
    id: "resp_fake",
    object: "response",
    created_at: 0,
    model: "gpt-fake",
    status,
    output: items,
    error: options.error ?? null,
    incomplete_details: options.incompleteReason ? { reason: options.incompleteReason } : null,
    usage: options.usage ?? {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
  }
  const bodies = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items.flatMap(createItemEvents),
    { type: `response.${status}`, response },
  ]
  return bodies.map((body, index) => ({ event: body.type, data: { ...body, sequence_number: index } }))
}

function createItemEvents(
  item: OpenAiItem,
  index: number,
): { readonly type: string; readonly [key: string]: unknown }[] {
  return [
    { type: "response.output_item.added", output_index: index, item },
    ...createDeltas(item).map((delta) => ({ item_id: item.id, output_index: index, ...delta })),
    { type: "response.output_item.done", output_index: index, item },
  ]
}

function createDeltas(item: OpenAiItem): { readonly type: string; readonly delta: unknown }[] {
  if (item.type === "reasoning" && Array.isArray(item["summary"]))
    return item["summary"].map(({ text }) => ({ type: "response.reasoning_summary_text.delta", delta: text }))
  if (item.type === "message" && Array.isArray(item["content"]))
    return item["content"].map((piece) =>
      piece.type === "refusal"
        ? { type: "response.refusal.delta", delta: piece.refusal }
        : { type: "response.output_text.delta", delta: piece.text },
    )
  return [{ type: "response.function_call_arguments.delta", delta: item["arguments"] }]
}
