import { isRecord } from "../../domain/text/is-record.ts"
import { parseJson } from "../../domain/text/parse-json.ts"
import type { RawMessageStreamEvent, Usage } from "@anthropic-ai/sdk/resources/messages"
import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import { isNormalWord, type OwnEnds, toAnswerEnd } from "../answer-end.ts"
import type { AnswerContent, GrowingAnswer } from "../growing-answer.ts"
import { ModelError } from "../model-error.ts"
import type { ModelDelta } from "../model-provider.ts"
import { parseToolCalls, type ProposedCall } from "../parse-tool-arguments.ts"

type Block = Extract<RawMessageStreamEvent, { type: "content_block_start" }>["content_block"]
type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"]
type AnswerUsage = Pick<
  Usage,
  "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens" | "output_tokens_details"
>

/** One content block while it is streamed. `json` collects the text of a tool's input. */
interface GrowingBlock {
  block: Block
  json: string
}

/** Assembles an answer from the events of a Messages stream. Blocks of unknown kinds are kept, events of unknown kinds ignored. */
export class AnthropicAnswer implements GrowingAnswer {
  readonly #onDelta: (delta: ModelDelta) => void
  readonly #blocks = new Map<number, GrowingBlock>()
  #usage: Partial<AnswerUsage> = {}
  #stop: string | null = null
  readonly #own: OwnEnds

  constructor(onDelta: (delta: ModelDelta) => void, own: OwnEnds) {
    this.#onDelta = onDelta
    this.#own = own
  }

  add(raw: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the API documents
    const event = raw as RawMessageStreamEvent
    switch (event.type) {
      case "message_start":
        this.#addUsage(event.message.usage)
        return
      case "content_block_start":
        this.#blocks.set(event.index, { block: { ...event.content_block }, json: "" })
        return
      case "content_block_delta": {
        const growing = this.#blocks.get(event.index)
        if (growing) this.#grow(growing, event.delta)
        return
      }
      case "message_delta":
        this.#stop = event.delta.stop_reason ?? this.#stop
        this.#addUsage(event.usage)
        return
      case "content_block_stop":
      case "message_stop":
        return
    }
  }

  /** Returns the complete answer. Throws a retryable `ModelError` if the stream ended before the message. */
  finish(turn: number, fromWireName: (name: string) => string): AnswerContent {
    if (this.#stop === null) throw new ModelError("retry", "the answer of anthropic ended before it was complete")
    const blocks = [...this.#blocks.entries()].toSorted(([a], [b]) => a - b).map(([, growing]) => growing)
    const isComplete = isNormalWord("messages", this.#stop, this.#own)
    const proposed = parseToolCalls(blocks.flatMap(proposedCall), turn, isComplete)
    const calls = proposed[Symbol.iterator]()
    const parts = blocks.flatMap((growing): AssistantPart[] => {
      const { block } = growing
      if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }]
      if (block.type === "thinking") return [{ type: "reasoning", text: block.thinking, opaque: block }]
      if (block.type !== "tool_use") return [{ type: "opaque", opaque: withInput(growing) }]
      const call = calls.next().value
      return call ? [{ type: "tool_call", call: { ...call, name: fromWireName(call.name) } }] : []
    })
    const end = toAnswerEnd("messages", this.#stop, { ...this.#own, hasCalls: proposed.length > 0 })
    return { parts, usage: this.#neutralUsage(), ...end }
  }

  #grow(growing: GrowingBlock, delta: Delta): void {
    const { block } = growing
    if (delta.type === "text_delta" && block.type === "text") {
      block.text += delta.text
      this.#onDelta({ type: "text", text: delta.text })
    } else if (delta.type === "thinking_delta" && block.type === "thinking") {
      block.thinking += delta.thinking
      this.#onDelta({ type: "reasoning", text: delta.thinking })
    } else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature
    else if (delta.type === "input_json_delta") growing.json += delta.partial_json
  }

  /** Adds counters. They are totals, so that later ones replace earlier ones; counters that do not apply are null or absent. */
  #addUsage(usage: { readonly [K in keyof AnswerUsage]?: AnswerUsage[K] | null } | undefined): void {
    const present = Object.entries(usage ?? {}).filter(([, value]) => value !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(present) }
  }

  #neutralUsage(): AssistantMessage["usage"] {
    return {
      inputTokens: this.#usage.input_tokens ?? 0,
      outputTokens: this.#usage.output_tokens ?? 0,
      cacheReadTokens: this.#usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: this.#usage.cache_creation_input_tokens ?? 0,
      reasoningTokens: this.#usage.output_tokens_details?.thinking_tokens ?? 0,
    }
  }
}

/** A block begins with an empty input, which its pieces replace. */
const inputOf = (input: unknown): string =>
  isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : ""

const proposedCall = ({ block, json }: GrowingBlock): ProposedCall[] =>
  block.type === "tool_use"
    ? [{ id: block.id, name: block.name, rawArguments: json === "" ? inputOf(block.input) : json }]
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
