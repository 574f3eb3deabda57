import { z } from "zod"
import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import type { ReasoningField, ReasoningMark } from "./chat-messages.ts"
import { estimateTokens } from "../estimate-tokens.ts"
import { isNormalWord, type OwnEnds, toAnswerEnd } from "../answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../growing-answer.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import { parseToolCalls } from "../parse-tool-arguments.ts"

const callDeltaSchema = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
})
const tokens = z.number().nonnegative().nullish()
/** The fields of a chunk that are read. Some servers leave fields out or send null. */
const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z.array(callDeltaSchema).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }).nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: tokens }).nullish(),
    })
    .nullish(),
})
type Chunk = z.infer<typeof chunkSchema>
type CallDelta = z.infer<typeof callDeltaSchema>

interface GrowingCall {
  readonly index: number | undefined
  id: string | undefined
  name: string
  rawArguments: string
}

const announcesCalls: ReadonlySet<string> = new Set(["tool_calls", "function_call"])

/** Assembles an answer from the chunks of a Chat Completions stream. */
export class ChatAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #promptLength: number
  readonly #calls: GrowingCall[] = []
  #text = ""
  #reasoning = ""
  #reasoningField: ReasoningField = "reasoning_content"
  #refused = false
  #finishReason: string | undefined
  #usage: Chunk["usage"]
  readonly #own: OwnEnds

  /** `promptLength`: in characters. If the server does not count tokens, usage is estimated from it, so that budgets still apply. */
  constructor(onDelta: (delta: ModelDelta) => void, promptLength: number, own: OwnEnds) {
    this.#onDelta = onDelta
    this.#own = own
    this.#promptLength = promptLength
  }

  /** Adds a chunk. Throws a retryable `ModelError` if it is not a chat completion chunk. */
  add(raw: unknown): void {
    const parsed = chunkSchema.safeParse(raw)
    if (!parsed.success) throw new ModelError("retry", "the server sent a chunk that is not a chat completion")
    this.#usage = parsed.data.usage ?? this.#usage
    const choice = parsed.data.choices?.[0]
    if (!choice) return
    this.#finishReason = choice.finish_reason ?? this.#finishReason
    const delta = choice.delta ?? {}
    this.#addReasoning("reasoning_content", delta.reasoning_content)
    // A server that sends both fields sends the same text twice.
    if (!delta.reasoning_content) this.#addReasoning("reasoning", delta.reasoning)
    this.#addText(delta.content)
    if (delta.refusal) this.#refused = true
    this.#addText(delta.refusal)
    for (const call of delta.tool_calls ?? []) this.#addCall(call)
  }

  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the message. */
  finish(turn: number, fromWireName: (name: string) => string): AnswerContent {
    const word = this.#finishReason
    if (word === undefined || word === "error")
      throw new ModelError("retry", "the answer of the server ended before it was complete")
    const mark: ReasoningMark = { field: this.#reasoningField }
    if (announcesCalls.has(word) && this.#calls.length === 0)
      throw new ModelError("retry", `the server ended its answer with ${word}, but sent no call that can be read`)
    const calls = parseToolCalls(this.#calls, turn, isNormalWord("chat", word, this.#own))
    const parts: AssistantPart[] = [
      ...(this.#reasoning === "" ? [] : [{ type: "reasoning" as const, text: this.#reasoning, opaque: mark }]),
      ...(this.#text === "" ? [] : [{ type: "text" as const, text: this.#text }]),
      ...calls.map((call) => ({ type: "tool_call" as const, call: { ...call, name: fromWireName(call.name) } })),
    ]
    const end = toAnswerEnd("chat", word, { ...this.#own, hasCalls: calls.length > 0, isRefused: this.#refused })
    return { parts, usage: this.#usage ? toUsage(this.#usage) : this.#estimatedUsage(), ...end }
  }

  #addText(text: string | null | undefined): void {
    if (!text) return
    this.#text += text
    this.#onDelta({ type: "text", text })
  }

  #addReasoning(field: ReasoningField, text: string | null | undefined): void {
    if (!text) return
    this.#reasoningField = field
    this.#reasoning += text
    this.#onDelta({ type: "reasoning", text })
  }

  /** A piece belongs to the call with its index. Without an index, a new id, or without ids a new name, starts a call. */
  #addCall(piece: CallDelta): void {
    const index = piece.index ?? undefined
    const id = piece.id || undefined
    const name = piece.function?.name ?? ""
    const raw = piece.function?.arguments ?? ""
    let call = this.#callOf(index, id, name)
    if (!call) {
      call = { index, id, name: "", rawArguments: "" }
      this.#calls.push(call)
    }
    call.id ??= id
    if (call.name !== name) call.name += name
    call.rawArguments += typeof raw === "string" ? raw : JSON.stringify(raw)
  }

  #callOf(index: number | undefined, id: string | undefined, name: string): GrowingCall | undefined {
    // Some servers give every call index 0; a new id then distinguishes them.
    if (index !== undefined)
      return this.#calls.findLast((call) => call.index === index && (!id || !call.id || call.id === id))
    const last = this.#calls.at(-1)
    if (id) return this.#calls.find((call) => call.id === id)
    return name === "" ? last : undefined
  }

  #estimatedUsage(): AssistantMessage["usage"] {
    const written = this.#calls.reduce((sum, call) => sum + call.rawArguments.length, this.#text.length)
    return {
      inputTokens: estimateTokens(this.#promptLength),
      outputTokens: estimateTokens(written + this.#reasoning.length),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: estimateTokens(this.#reasoning.length),
    }
  }
}

const toUsage = (usage: Chunk["usage"]): AssistantMessage["usage"] => {
  const cacheReadTokens = usage?.prompt_tokens_details?.cached_tokens ?? 0
  const cacheWriteTokens = usage?.prompt_tokens_details?.cache_write_tokens ?? 0
  return {
    inputTokens: Math.max(0, (usage?.prompt_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: usage?.completion_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
  }
}
