import type { AssistantMessage, Message } from "../contracts/message.ts"
import type { ModelSpec } from "../contracts/run-snapshot.ts"

/** The description of a tool for a model. `inputSchema` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A piece of an answer while it is streamed, for display only. The answer is what `respond` returns. */
export type ModelDelta = { readonly type: "text" | "reasoning"; readonly text: string }

export interface ModelRequest {
  readonly spec: ModelSpec
  /** Secret; undefined for `scripted` and for local servers without a key. */
  readonly apiKey: string | undefined
  /** Headers that the configuration adds; some contain secrets. */
  readonly headers?: Readonly<Record<string, string>>
  readonly systemPrompt: string
  /** The transcript so far, oldest first; never empty. Every tool call is followed by its result. */
  readonly messages: readonly Message[]
  /** The images and PDF files to which `messages` refer, in base64, by id. Those that are not in it are not sent. */
  readonly media?: ReadonlyMap<string, string>
  /** Messages that a summary at the beginning of `messages` replaces. They are not sent; scripted models and the ids of calls count their turns. */
  readonly hidden?: readonly Message[]
  /**
   * What the answer is for; default: the next turn. `compaction`: the provider itself summarises `messages`, and the answer is that summary; only for
   * providers with `compacts`. `summary`: the messages ask for the summary; only scripted models look at it.
   */
  readonly purpose?: "compaction" | "summary"
  readonly tools: readonly ToolSpec[]
  /** The model is to answer without calls. The tools stay in the request, whose cached prefix they are. */
  readonly withoutCalls?: boolean
  /** The JSON Schema of a text without calls, for providers that make their models follow one. */
  readonly resultSchema?: Readonly<Record<string, unknown>>
  readonly maxOutputTokens: number
  /** Stable per session; a cache routing key for providers that support one. */
  readonly cacheKey: string
  /** Attempt of this call, counted from 1 (default: 1). Only scripted models use it, to fail a number of times. */
  readonly attempt?: number
  /** Aborts the request. */
  readonly signal: AbortSignal
  /** Must not throw. */
  readonly onDelta: (delta: ModelDelta) => void
  /** Gets the form in which the server sent its whole answer: as a stream, as requested, or as one document. Must not throw. */
  readonly onForm?: (form: "stream" | "document") => void
}

/**
 * One provider. Returns the complete assistant message, or throws: SDK errors unchanged, for the classifier, and `ModelError` for failures that the
 * format of the answer reports. `usage.inputTokens` does not include what was read from and written to the provider's cache, so that the three
 * add up to the prompt; `reasoningTokens` are part of `outputTokens`. Keeps no state between calls and never retries.
 */
export interface ModelProvider {
  /** The provider can summarise a conversation itself. */
  readonly compacts?: true
  respond(request: ModelRequest): Promise<AssistantMessage>
}
