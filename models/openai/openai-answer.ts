import type { Response, ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses"
import type { AssistantMessage, AssistantPart, ToolCall } from "../../contracts/message.ts"
import { type AnswerEnd, isNormalWord, type OwnEnds, toAnswerEnd } from "../answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../growing-answer.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { fieldsOf, itemsOf, optionalCount, optionalText, requiredText } from "../lenient.ts"
import { ReportedFailure } from "../failure/reported-failure.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import type { MessageMark } from "./openai-input.ts"
import { parseToolCalls, type ProposedCall } from "../parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

/** Assembles an answer from the events of a Responses stream. */
export class OpenAiAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #items = new Map<number, ResponseOutputItem>()
  readonly #own: OwnEnds
  #response: Response | undefined

  constructor(onDelta: (delta: ModelDelta) => void, own: OwnEnds) {
    this.#onDelta = onDelta
    this.#own = own
  }

  add(raw: unknown): void {
    if (!isRecord(raw)) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API documents
    const event = raw as unknown as ResponseStreamEvent | Response
    if ("object" in event && event.object === "response") {
      this.#response = event
      return
    }
    if (!("type" in event)) return
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#onDelta({ type: "text", text: optionalText(event.delta) ?? "" })
        return
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#onDelta({ type: "reasoning", text: optionalText(event.delta) ?? "" })
        return
      case "response.output_item.done":
        if (isRecord(event.item)) this.#items.set(event.output_index, event.item)
        return
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        if (isRecord(event.response)) this.#response = event.response
        return
      default:
    }
  }

  /** Returns the complete answer. Throws a `ModelError` if the response failed or the stream ended before it. */
  finish(turn: number, fromWire: TranslateCall): AnswerContent {
    const response = this.#response
    if (!response) throw new ModelError("retry", "the answer of openai ended before it was complete")
    if (response.status === "failed" || response.error)
      throw new ReportedFailure(response.error ?? "openai failed to answer and gave no reason", { hasBegun: true })
    const streamed = [...this.#items.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item)
    const whole = outputOf(response)
    const output = whole.length > 0 ? whole : streamed
    const calls = parseToolCalls(
      output.flatMap(proposedCall),
      turn,
      isNormalWord("responses", endWord(response), this.#own),
    )
    const parts = toParts(output, calls, fromWire)
    return { parts, usage: toUsage(response), ...toEnd(response, output, this.#own) }
  }
}

/** Servers that imitate the API leave out what they do not know. */
const outputOf = ({ output }: { readonly output?: unknown }): readonly ResponseOutputItem[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an item of each type has is read leniently below
  itemsOf(output).filter((item) => isRecord(item)) as unknown as readonly ResponseOutputItem[]

const proposedCall = (item: ResponseOutputItem): ProposedCall[] =>
  item.type === "function_call"
    ? [
        {
          id: optionalText(item.call_id) ?? optionalText(item.id),
          name: requiredText(item.name, "output[].name"),
          rawArguments: isRecord(item.arguments)
            ? JSON.stringify(item.arguments)
            : requiredText(item.arguments, "output[].arguments"),
        },
      ]
    : []

/** Returns the texts of an item's pieces, of which one can be a text itself. */
const textsOf = (pieces: unknown): readonly string[] =>
  typeof pieces === "string"
    ? [pieces]
    : itemsOf(pieces).map((piece) => {
        const { text, refusal } = fieldsOf(piece)
        return optionalText(refusal) ?? optionalText(text) ?? ""
      })

const isRefused = (item: ResponseOutputItem): boolean =>
  item.type === "message" && itemsOf(item.content).some((piece) => fieldsOf(piece)["type"] === "refusal")

const toParts = (
  output: readonly ResponseOutputItem[],
  proposed: readonly ToolCall[],
  fromWire: TranslateCall,
): AssistantPart[] => {
  const calls = proposed[Symbol.iterator]()
  return output.flatMap((item): AssistantPart[] => {
    if (item.type === "reasoning") {
      const summary = textsOf(item.summary)
      const text = (summary.length > 0 ? summary : textsOf(item.content)).join("\n\n")
      return [{ type: "reasoning", text, opaque: item }]
    }
    if (item.type === "message") {
      const text = textsOf(item.content).join("")
      const mark: MessageMark = { type: "message_mark", id: item.id, phase: item.phase }
      return [
        { type: "opaque", opaque: mark },
        { type: "text", text },
      ]
    }
    if (item.type !== "function_call") return [{ type: "opaque", opaque: item }]
    const call = calls.next().value
    if (!call) return []
    const opaque = item.id === undefined ? {} : { opaque: { id: item.id } }
    return [{ type: "tool_call", call: fromWire(call), ...opaque }]
  })
}

/** A server that leaves the status out ended the stream with `response.completed`. */
const endWord = ({ status, incomplete_details: details }: Response): string =>
  status === "incomplete"
    ? `incomplete: ${wordOf(fieldsOf(details)["reason"], "no reason given")}`
    : wordOf(status, "completed")

/** Returns a word as text. What is not a text is not a known word. */
const wordOf = (word: unknown, absent: string): string =>
  word === undefined || word === null ? absent : typeof word === "string" ? word : JSON.stringify(word)

const toEnd = (response: Response, output: readonly ResponseOutputItem[], own: OwnEnds): AnswerEnd =>
  toAnswerEnd("responses", endWord(response), {
    ...own,
    hasCalls: output.some((item) => item.type === "function_call"),
    isRefused: output.some(isRefused),
  })

/** Returns the counts; those that cannot be read are 0. */
const toUsage = ({ usage }: Response): AssistantMessage["usage"] => {
  const count = (value: unknown): number => optionalCount(value) ?? 0
  const cacheReadTokens = count(usage?.input_tokens_details?.cached_tokens)
  const cacheWriteTokens = count(usage?.input_tokens_details?.cache_write_tokens)
  return {
    inputTokens: Math.max(0, count(usage?.input_tokens) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(usage?.output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(usage?.output_tokens_details?.reasoning_tokens),
  }
}
