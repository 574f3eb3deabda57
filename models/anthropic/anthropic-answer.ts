import { isRecord } from "../../domain/text/is-record.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import type { Message, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages"
import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import { isNormalWord, type OwnEnds, toAnswerEnd } from "../answer/answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../answer/growing-answer.ts"
import { fieldsOf, itemsOf, optionalCount, optionalText, requiredText } from "../lenient.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import { parseToolCalls, type StreamedCall } from "../answer/parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

type Block = Extract<RawMessageStreamEvent, { type: "content_block_start" }>["content_block"]
type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"]
/** One content block while it is streamed. `json` collects the text of a tool's input. */
interface GrowingBlock {
  readonly index: number
  block: Block
  json: string
}

/** Assembles an answer from the events of a Messages stream. Blocks of unknown kinds are kept, events of unknown kinds ignored. */
export class AnthropicAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #blocks: GrowingBlock[] = []
  #usage: Readonly<Record<string, unknown>> = {}
  #stop: string | null = null
  readonly #own: OwnEnds

  constructor(onDelta: (delta: ModelDelta) => void, own: OwnEnds) {
    this.#onDelta = onDelta
    this.#own = own
  }

  add(raw: unknown): void {
    if (!isRecord(raw)) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API documents
    const event = raw as unknown as RawMessageStreamEvent | Message
    switch (event.type) {
      case "message":
        this.#addMessage(event)
        return
      case "message_start":
        this.#addUsage(fieldsOf(fieldsOf(event.message)["usage"]))
        return
      case "content_block_start":
        this.#addBlock(event.index, event.content_block)
        return
      case "content_block_delta":
        if (isRecord(event.delta)) this.#grow(event.index, event.delta)
        return
      case "message_delta":
        this.#addStop(fieldsOf(event.delta)["stop_reason"])
        this.#addUsage(fieldsOf(event.usage))
        return
      case "content_block_stop":
      case "message_stop":
        return
    }
  }

  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the message. */
  finish(turn: number, fromWire: TranslateCall): AnswerContent {
    if (this.#stop === null) throw new ModelError("retry", "the answer of anthropic ended before it was complete")
    const blocks = this.#blocks.toSorted((a, b) => (a.index < b.index ? -1 : a.index > b.index ? 1 : 0))
    const isComplete = isNormalWord("messages", this.#stop, this.#own)
    const proposed = parseToolCalls(blocks.flatMap(proposedCall), turn, isComplete)
    const calls = proposed[Symbol.iterator]()
    const parts = blocks.flatMap((growing): AssistantPart[] => {
      const { block } = growing
      if (block.type === "text") return textPart(optionalText(block.text))
      if (block.type === "thinking")
        return [{ type: "reasoning", text: optionalText(block.thinking) ?? "", opaque: block }]
      if (block.type !== "tool_use") return [{ type: "opaque", opaque: withInput(growing) }]
      const call = calls.next().value
      return call ? [{ type: "tool_call", call: fromWire(call) }] : []
    })
    const end = toAnswerEnd("messages", this.#stop, { ...this.#own, hasCalls: proposed.length > 0 })
    return { parts, usage: this.#neutralUsage(), ...end }
  }

  /**
   * Adds a piece to its block. Some servers give every block the same index: of those, the last one of the right type is meant. A piece without a block
   * begins one.
   */
  #grow(index: number, delta: Delta): void {
    const growing = this.#blocks.findLast((each) => each.index === index && fits(each.block, delta))
    if (growing === undefined) {
      const begun = begunBy(delta)
      if (begun === undefined) return
      this.#addBlock(index, begun)
      return this.#grow(index, delta)
    }
    const { block } = growing
    if (delta.type === "text_delta" && block.type === "text") {
      const text = optionalText(delta.text) ?? ""
      block.text = (optionalText(block.text) ?? "") + text
      this.#onDelta({ type: "text", text })
    } else if (delta.type === "thinking_delta" && block.type === "thinking") {
      const text = optionalText(delta.thinking) ?? ""
      block.thinking = (optionalText(block.thinking) ?? "") + text
      this.#onDelta({ type: "reasoning", text })
    } else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature
    else if (delta.type === "input_json_delta") growing.json += optionalText(delta.partial_json) ?? ""
  }

  /** Adds the answer that a server sent whole. */
  #addMessage({ content, stop_reason: stop, usage }: Message): void {
    // Some servers send the only block or its text in place of the list.
    const blocks: unknown =
      typeof content === "string" ? [{ type: "text", text: content }] : isRecord(content) ? [content] : content
    for (const [index, block] of itemsOf(blocks).entries())
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a block of each type has is read leniently
      if (isRecord(block)) this.#addBlock(index, block as unknown as Block)
    this.#addStop(stop)
    this.#addUsage(fieldsOf(usage))
  }

  #addBlock(index: number, block: Block): void {
    if (isRecord(block)) this.#blocks.push({ index, block: { ...block }, json: "" })
  }

  #addStop(reason: unknown): void {
    this.#stop = requiredText(reason, "stop_reason") || this.#stop
  }

  /** Takes counters. Each is a total, so a later one replaces an earlier one; those that do not apply are null or absent. */
  #addUsage(usage: Readonly<Record<string, unknown>>): void {
    const present = Object.entries(usage).filter(([, value]) => value !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(present) }
  }

  #neutralUsage(): AssistantMessage["usage"] {
    const count = (value: unknown): number => optionalCount(value) ?? 0
    return {
      inputTokens: count(this.#usage["input_tokens"]),
      outputTokens: count(this.#usage["output_tokens"]),
      cacheReadTokens: count(this.#usage["cache_read_input_tokens"]),
      cacheWriteTokens: count(this.#usage["cache_creation_input_tokens"]),
      reasoningTokens: count(fieldsOf(this.#usage["output_tokens_details"])["thinking_tokens"]),
    }
  }
}

const fits = ({ type }: Block, delta: Delta): boolean => {
  switch (delta.type) {
    case "text_delta":
      return type === "text"
    case "thinking_delta":
    case "signature_delta":
      return type === "thinking"
    case "input_json_delta":
      return type !== "text" && type !== "thinking"
    default:
      return false
  }
}

/** Returns an empty block for a piece whose block did not begin. */
const begunBy = ({ type }: Delta): Block | undefined => {
  if (type === "text_delta") return { type: "text", text: "", citations: null }
  return type === "thinking_delta" ? { type: "thinking", thinking: "", signature: "" } : undefined
}

const textPart = (text = ""): AssistantPart[] => (text === "" ? [] : [{ type: "text", text }])

/** A block begins with an empty input, which its pieces replace. */
const initialJson = (input: unknown): string =>
  isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ""

const proposedCall = ({ block, json }: GrowingBlock): StreamedCall[] =>
  block.type === "tool_use"
    ? [
        {
          id: optionalText(block.id),
          name: requiredText(block.name, "content_block.name"),
          rawArguments: json === "" ? initialJson(block.input) : json,
        },
      ]
    : []

/** Returns a server tool's block with the input that was streamed after its start, so that it can be sent back unchanged. */
const withInput = ({ block, json }: GrowingBlock): unknown => {
  if (json === "") return block
  try {
    return { ...block, input: parseJson(json) }
  } catch {
    return block
  }
}
