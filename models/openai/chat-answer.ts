import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { ChatMessageMark, ReasoningField, ReasoningMark } from "./chat-messages.ts"
import { ChatCalls } from "./chat-calls.ts"
import { ChatContent, looseText } from "./chat-content.ts"
import { joinFields, type OpaqueFields, opaqueFields } from "./opaque-fields.ts"
import { estimateTokens } from "../../domain/limits/prompt/token-estimate.ts"
import { isNormalWord, type OwnEnds, toAnswerEnd } from "../answer/answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../answer/growing-answer.ts"
import { fieldsOf, optionalCount, requiredList, requiredText, unreadable } from "../lenient.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import { parseToolCalls } from "../answer/parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

const announcesCalls: ReadonlySet<string> = new Set(["tool_calls", "function_call"])

const understood = new Set([
  "role",
  "content",
  "refusal",
  "reasoning_content",
  "reasoning",
  "tool_calls",
  "function_call",
])

/** Assembles an answer from the chunks of a Chat Completions stream, or from the completion that a server sends in its place. */
export class ChatAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #promptText: () => string
  readonly #calls = new ChatCalls()
  readonly #content = new ChatContent()
  #text = ""
  #reasoning = ""
  /** What was sent in a field of its own. */
  #reasoned: { readonly text: string; readonly opaque: ReasoningMark } | undefined
  #fields: OpaqueFields = {}
  #refused = false
  #finishReason: string | undefined
  #usage: unknown
  readonly #own: OwnEnds

  /** `promptText`: if the server does not count tokens, usage is estimated from it, so that budgets still apply. */
  constructor(onDelta: (delta: ModelDelta) => void, promptText: () => string, own: OwnEnds) {
    this.#onDelta = onDelta
    this.#own = own
    this.#promptText = promptText
  }

  /** Adds a chunk. Only what the answer needs is checked; throws a `ModelError` that names the path if that cannot be read. */
  add(raw: unknown): void {
    const chunk = fieldsOf(raw)
    this.#usage = chunk["usage"] ?? this.#usage
    const choice = requiredList(chunk["choices"], "choices")[0]
    if (choice === undefined || choice === null) return
    if (!isRecord(choice)) throw unreadable("choices[0]", choice)
    this.#finishReason = requiredText(choice["finish_reason"], "choices[0].finish_reason") || this.#finishReason
    const part = "delta" in choice && choice["delta"] !== null ? "delta" : "message"
    const delta = choice[part] ?? {}
    if (!isRecord(delta)) throw unreadable(`choices[0].${part}`, delta)
    this.#addDelta(delta, `choices[0].${part}`)
  }

  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the message. */
  finish(turn: number, fromWire: TranslateCall): AnswerContent {
    const word = this.#finishReason
    if (word === undefined || word === "error")
      throw new ModelError("retry", "the answer of the server ended before it was complete")
    if (announcesCalls.has(word) && this.#calls.isEmpty)
      throw new ModelError("retry", `the server ended its answer with ${word}, but sent no call that can be read`)
    const proposed = this.#calls.finish()
    const calls = parseToolCalls(proposed, turn, isNormalWord("chat", word, this.#own))
    const parts: AssistantPart[] = [
      ...this.#marks(),
      ...this.#content.parts(),
      ...calls.map((call, index): AssistantPart => {
        const opaque = proposed[index]?.opaque
        return { type: "tool_call", call: fromWire(call), ...(opaque === undefined ? {} : { opaque }) }
      }),
    ]
    const end = toAnswerEnd("chat", word, { ...this.#own, hasCalls: calls.length > 0, isRefused: this.#refused })
    return { parts, usage: this.#neutralUsage(), ...end }
  }

  /** Returns the reasoning outside the content, and what only the server understands. */
  #marks(): AssistantPart[] {
    const mark: ChatMessageMark = { type: "chat_fields", fields: this.#fields }
    return [
      ...(this.#reasoned === undefined ? [] : [{ type: "reasoning" as const, ...this.#reasoned }]),
      ...(Object.keys(this.#fields).length === 0 ? [] : [{ type: "opaque" as const, opaque: mark }]),
    ]
  }

  #addDelta(delta: Readonly<Record<string, unknown>>, path: string): void {
    const reasoning = looseText(delta["reasoning_content"])
    this.#addReasoned("reasoning_content", reasoning)
    // A server that sends both fields sends the same text twice.
    if (reasoning === "") this.#addReasoned("reasoning", looseText(delta["reasoning"]))
    this.#addContent(delta["content"], `${path}.content`)
    const refusal = looseText(delta["refusal"])
    if (refusal !== "") this.#refused = true
    this.#addContent(refusal, `${path}.refusal`)
    for (const [index, call] of requiredList(delta["tool_calls"], `${path}.tool_calls`).entries())
      this.#calls.add(call, `${path}.tool_calls[${index}]`)
    const called = delta["function_call"]
    if (isRecord(called)) this.#calls.add({ index: 0, function: called }, `${path}.function_call`)
    this.#fields = joinFields(this.#fields, opaqueFields(delta, understood))
  }

  #addContent(content: unknown, path: string): void {
    const { text, reasoning } = this.#content.add(content, path)
    this.#addReasoning(reasoning)
    if (text === "") return
    this.#text += text
    this.#onDelta({ type: "text", text })
  }

  #addReasoned(field: ReasoningField, text: string): void {
    if (text === "") return
    this.#reasoned = { text: (this.#reasoned?.text ?? "") + text, opaque: { field } }
    this.#addReasoning(text)
  }

  #addReasoning(text: string): void {
    if (text === "") return
    this.#reasoning += text
    this.#onDelta({ type: "reasoning", text })
  }

  /** Returns the server's counts; those that cannot be read are estimated. */
  #neutralUsage(): AssistantMessage["usage"] {
    const usage = fieldsOf(this.#usage)
    const input = fieldsOf(usage["prompt_tokens_details"])
    const cacheReadTokens = optionalCount(input["cached_tokens"]) ?? 0
    const cacheWriteTokens = optionalCount(input["cache_write_tokens"]) ?? 0
    const prompt = optionalCount(usage["prompt_tokens"])
    const reasoned = optionalCount(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"])
    const output = optionalCount(usage["completion_tokens"])
    return {
      inputTokens: Math.max(0, (prompt ?? estimateTokens(this.#promptText())) - cacheReadTokens - cacheWriteTokens),
      outputTokens: output ?? estimateTokens(this.#text + this.#calls.text + this.#reasoning),
      cacheReadTokens,
      cacheWriteTokens,
      reasoningTokens: reasoned ?? (output === undefined ? estimateTokens(this.#reasoning) : 0),
    }
  }
}
