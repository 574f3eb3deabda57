import type { Response, ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses"
import type { AssistantMessage, AssistantPart, ToolCall } from "../../contracts/message.ts"
import { type AnswerEnd, isNormalWord, type OwnEnds, toAnswerEnd } from "../answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../growing-answer.ts"
import { ReportedFailure } from "../failure/reported-failure.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import type { MessageMark } from "./openai-input.ts"
import { parseToolCalls, type ProposedCall } from "../parse-tool-arguments.ts"

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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API documents
    const event = raw as ResponseStreamEvent
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#onDelta({ type: "text", text: event.delta })
        return
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#onDelta({ type: "reasoning", text: event.delta })
        return
      case "response.output_item.done":
        this.#items.set(event.output_index, event.item)
        return
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#response = event.response
        return
      default:
    }
  }

  /** Returns the complete answer. Throws a `ModelError` if the response failed or the stream ended before it. */
  finish(turn: number, fromWireName: (name: string) => string): AnswerContent {
    const response = this.#response
    if (!response) throw new ModelError("retry", "the answer of openai ended before it was complete")
    if (response.status === "failed" || response.error)
      throw new ReportedFailure(response.error ?? "openai failed to answer and gave no reason", { hasBegun: true })
    const streamed = [...this.#items.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item)
    const output = response.output?.length > 0 ? response.output : streamed
    const calls = parseToolCalls(
      output.flatMap(proposedCall),
      turn,
      isNormalWord("responses", endWord(response), this.#own),
    )
    const parts = toParts(output, calls, fromWireName)
    return { parts, usage: toUsage(response), ...toEnd(response, output, this.#own) }
  }
}

const proposedCall = (item: ResponseOutputItem): ProposedCall[] =>
  item.type === "function_call" ? [{ id: item.call_id, name: item.name, rawArguments: item.arguments }] : []

const toParts = (
  output: readonly ResponseOutputItem[],
  proposed: readonly ToolCall[],
  fromWireName: (name: string) => string,
): AssistantPart[] => {
  const calls = proposed[Symbol.iterator]()
  return output.flatMap((item): AssistantPart[] => {
    if (item.type === "reasoning") {
      const text = (item.summary.length > 0 ? item.summary : (item.content ?? []))
        .map((piece) => piece.text)
        .join("\n\n")
      return [{ type: "reasoning", text, opaque: item }]
    }
    if (item.type === "message") {
      const text = item.content.map((piece) => (piece.type === "refusal" ? piece.refusal : piece.text)).join("")
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
    return [{ type: "tool_call", call: { ...call, name: fromWireName(call.name) }, ...opaque }]
  })
}

/** A server that leaves the status out ended the stream with `response.completed`. */
const endWord = ({ status, incomplete_details: details }: Response): string =>
  status === "incomplete" ? `incomplete: ${details?.reason ?? "no reason given"}` : (status ?? "completed")

const toEnd = (response: Response, output: readonly ResponseOutputItem[], own: OwnEnds): AnswerEnd =>
  toAnswerEnd("responses", endWord(response), {
    ...own,
    hasCalls: output.some((item) => item.type === "function_call"),
    isRefused: output.some((item) => item.type === "message" && item.content.some((piece) => piece.type === "refusal")),
  })

const toUsage = ({ usage }: Response): AssistantMessage["usage"] => {
  const cacheReadTokens = usage?.input_tokens_details?.cached_tokens ?? 0
  const cacheWriteTokens = usage?.input_tokens_details?.cache_write_tokens ?? 0
  return {
    inputTokens: Math.max(0, (usage?.input_tokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: usage?.output_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: usage?.output_tokens_details?.reasoning_tokens ?? 0,
  }
}
