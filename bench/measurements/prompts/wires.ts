import { isRecord } from "../../../domain/text/is-record.ts"
import { createAnthropicAnswer, createAnthropicText } from "../../../test/helpers/providers/anthropic-wire.ts"
import { createChatAnswer, createChatText } from "../../../test/helpers/providers/chat-wire.ts"
import type { FakeReply } from "../../../test/helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiMessage,
} from "../../../test/helpers/providers/openai-responses-wire.ts"

export type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

type Body = Readonly<Record<string, unknown>>

/** One API: how a prompt is sent in it, and what answers look like. Each answer is one text or one call. */
export interface Wire {
  readonly api: string
  readonly provider: "anthropic" | "openai" | "openai-compatible"
  readonly model: string
  readonly baseUrl: (url: string) => string
  /** The parts of a prompt in the order in which a provider's cache reads them, each as the bytes that were sent. */
  readonly parts: (body: Body) => readonly string[]
  /** The number of the model's answers in a prompt. */
  readonly answers: (body: Body) => number
  readonly text: (turn: number, text: string) => FakeReply
  readonly call: (turn: number, call: Call) => FakeReply
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const bytes = (value: unknown): string => JSON.stringify(value) ?? ""

const byModel = (items: unknown): number =>
  listOf(items).filter((item) => isRecord(item) && (item["role"] === "assistant" || item["type"] === "function_call"))
    .length

/** A mark says up to where to cache. It moves on with the conversation, so that it is not compared. */
const withoutMark = (block: unknown): unknown => {
  if (!isRecord(block)) return block
  const { cache_control: _, ...rest } = block
  return rest
}

export const wires: readonly Wire[] = [
  {
    api: "Messages",
    provider: "anthropic",
    model: "claude-fake",
    baseUrl: (url) => url,
    parts: ({ tools, system, messages }) => [
      ...[...listOf(tools), ...listOf(system)].map(withoutMark).map(bytes),
      ...listOf(messages).flatMap((message) =>
        isRecord(message)
          ? listOf(message["content"]).map((block) => `${bytes(message["role"])} ${bytes(withoutMark(block))}`)
          : [],
      ),
    ],
    answers: ({ messages }) => byModel(messages),
    text: (_, text) => createAnthropicText(text),
    call: (turn, [name, args]) =>
      createAnthropicAnswer([{ type: "tool_use", id: `toolu_${turn}`, name, pieces: [JSON.stringify(args)] }]),
  },
  {
    api: "Responses",
    provider: "openai",
    model: "gpt-5-fake",
    baseUrl: (url) => `${url}/v1`,
    parts: ({ instructions, tools, input }) => [instructions, tools, ...listOf(input)].map(bytes),
    answers: ({ input }) => byModel(input),
    text: (turn, text) => createOpenAiAnswer([createOpenAiMessage(`msg_${turn}`, text)]),
    call: (turn, [name, args]) =>
      createOpenAiAnswer([createOpenAiCall(`fc_${turn}`, `call_${turn}`, { name, args: JSON.stringify(args) })]),
  },
  {
    api: "Chat Completions",
    provider: "openai-compatible",
    model: "chat-fake",
    baseUrl: (url) => `${url}/v1`,
    parts: ({ tools, messages }) => [tools, ...listOf(messages)].map(bytes),
    answers: ({ messages }) => byModel(messages),
    text: (_, text) => createChatText(text),
    call: (turn, [name, args]) => {
      const called = { name, arguments: JSON.stringify(args) }
      return createChatAnswer(
        [{ tool_calls: [{ index: 0, id: `call_${turn}`, type: "function", function: called }] }],
        { finishReason: "tool_calls" },
      )
    },
  },
]
