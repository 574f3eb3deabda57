import type { Response, ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses"
import type { AssistantMessage, AssistantPart, ToolCall } from "../../contracts/message.ts"
import { type AnswerEnd, isNormalWord, type OwnEnds, toAnswerEnd } from "../answer/answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../answer/growing-answer.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { fieldsOf, itemsOf, optionalCount, optionalText, requiredText } from "../lenient.ts"
import { ReportedFailure } from "../failure/reported-failure.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import type { MessageMark } from "./openai-input.ts"
import { parseToolCalls, type StreamedCall } from "../answer/parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

/** Assembles an answer from the events of a Responses stream. */
export class OpenAiAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #items = new Map<number, ResponseOutputItem>()
  readonly #own: OwnEnds
  #response: Response | undefined
  /** The status as the name of the last event says it, for servers that leave it out of the response. */
  #status: Response["status"]
  #text = ""

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
      this.#status = undefined
      return
    }
    if (!("type" in event)) return
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#addText(optionalText(event.delta) ?? "")
        return
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#onDelta({ type: "reasoning", text: optionalText(event.delta) ?? "" })
        return
      case "response.output_item.done":
        if (isRecord(event.item)) this.#items.set(event.output_index, event.item)
        return
      case "response.completed":
        this.#end(event.response, "completed")
        return
      case "response.incomplete":
        this.#end(event.response, "incomplete")
        return
      case "response.failed":
        this.#end(event.response, "failed")
        return
      default:
    }
  }

  #end(response: unknown, status: Response["status"]): void {
    if (!isRecord(response)) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API documents
    this.#response = response as unknown as Response
    this.#status = status
  }

  #addText(text: string): void {
    this.#text += text
    this.#onDelta({ type: "text", text })
  }

  /** Returns the complete answer. Throws a `ModelError` if the response failed or the stream ended before it. */
  finish(turn: number, fromWire: TranslateCall): AnswerContent {
    if (!this.#response) throw new ModelError("retry", "the answer of openai ended before it was complete")
    // The name of the event counts more than the response in it: servers that imitate the API may leave the status there as it was at the beginning, or say
    // `completed` of a response that is not.
    const isAsEvent = this.#status !== undefined && this.#status !== "completed"
    const status = isAsEvent ? this.#status : (this.#response.status ?? this.#status)
    const response = { ...this.#response, status } as Response
    if (response.status === "failed" || response.error)
      throw new ReportedFailure(response.error ?? "openai failed to answer and gave no reason", { hasBegun: true })
    const streamed = [...this.#items.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item)
    const output = fuller(outputOf(response), streamed)
    const calls = parseToolCalls(
      output.flatMap(proposedCall),
      turn,
      isNormalWord("responses", endWord(response), this.#own),
    )
    const parts = withText(toParts(output, calls, fromWire), this.#text)
    return { parts, usage: toUsage(response), ...toEnd(response, output, this.#own) }
  }
}

/** Servers that imitate the API leave out what they do not know, and send a single item in place of a list. */
const outputOf = ({ output }: { readonly output?: unknown }): readonly ResponseOutputItem[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an item of each type has is read leniently below
  asList(output).filter((item) => isRecord(item)) as unknown as readonly ResponseOutputItem[]

const asList = (value: unknown): readonly unknown[] => (isRecord(value) ? [value] : itemsOf(value))

const outputText = (output: readonly ResponseOutputItem[]): string =>
  output.map((item) => (item.type === "message" ? pieceTexts(item.content).join("") : "")).join("")

/** Returns the output of the whole response, or the streamed items if it lacks some of them or their text. */
const fuller = (
  whole: readonly ResponseOutputItem[],
  streamed: readonly ResponseOutputItem[],
): readonly ResponseOutputItem[] => {
  const isWhole = whole.length >= streamed.length && outputText(whole).length >= outputText(streamed).length
  return isWhole ? whole : streamed
}

/** Returns the parts with the text that was streamed, if no item has it. */
const withText = (parts: readonly AssistantPart[], text: string): AssistantPart[] => {
  if (text === "" || parts.some((part) => part.type === "text" && part.text !== "")) return [...parts]
  const at = parts.findIndex((part) => part.type === "tool_call")
  return parts.toSpliced(at === -1 ? parts.length : at, 0, { type: "text", text })
}

const proposedCall = (item: ResponseOutputItem): StreamedCall[] =>
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

/** Returns the texts of an item's pieces. Some servers send a plain text in place of a piece, or of all. */
const pieceTexts = (pieces: unknown): readonly string[] =>
  typeof pieces === "string"
    ? [pieces]
    : asList(pieces).map((piece) => {
        if (typeof piece === "string") return piece
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
      const summary = pieceTexts(item.summary)
      const text = (summary.length > 0 ? summary : pieceTexts(item.content)).join("\n\n")
      return [{ type: "reasoning", text, opaque: item }]
    }
    if (item.type === "message") {
      const text = pieceTexts(item.content).join("")
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

/** A whole response without a status counts as completed, unless it says why it is not. */
const endWord = ({ status, incomplete_details: details }: Response): string => {
  const { reason } = fieldsOf(details)
  const isCut = status === "incomplete" || ((status ?? undefined) === undefined && reason !== undefined)
  return isCut ? `incomplete: ${wordOf(reason, "no reason given")}` : wordOf(status, "completed")
}

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
