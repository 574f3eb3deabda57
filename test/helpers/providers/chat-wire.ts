import type { FakeReply, SseEvent } from "./fake-provider-server.ts"

export interface ChatAnswerOptions {
  readonly finishReason?: string | null
  /** `null`: the server reports no usage. */
  readonly usage?: unknown
}

/** Returns a whole Chat Completions stream of the given deltas, with the usage in a last chunk without choices. */
export const createChatAnswer = (deltas: readonly unknown[], options: ChatAnswerOptions = {}): FakeReply => ({
  kind: "sse",
  events: createChatEvents(deltas, options),
})

export const createChatText = (text: string): FakeReply => createChatAnswer([{ role: "assistant", content: text }])

/** Returns a stream that breaks off, ends or stays open after `count` chunks. */
export const createPartialChatAnswer = (
  deltas: readonly unknown[],
  count: number,
  ending: "cut" | "hang" | "end",
): FakeReply => ({
  kind: "sse",
  events: createChatEvents(deltas, {}).slice(0, count),
  ending,
})

function createChatEvents(deltas: readonly unknown[], options: ChatAnswerOptions): SseEvent[] {
  const usage =
    options.usage === undefined ? { prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 } : options.usage
  const finishReason = options.finishReason === undefined ? "stop" : options.finishReason
  return [
    ...deltas.map((delta) => createChunk({ choices: [{ index: 0, delta, finish_reason: null }] })),
    ...(finishReason === null
      ? []
      : [createChunk({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] })]),
    ...(usage === null ? [] : [createChunk({ choices: [], usage })]),
    { data: "[DONE]" },
  ]
}

const createChunk = (fields: object): SseEvent => ({
  data: { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 0, model: "fake", ...fields },
})
