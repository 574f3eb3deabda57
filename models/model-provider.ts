import type { AssistantMessage, Message } from "../contracts/message.ts"
import type { ModelSpec } from "../contracts/run-snapshot.ts"

/** A tool as it is described to a model. `inputSchema` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** What arrives while a model answers. Only for showing: the answer itself is what `respond` returns. */
export type ModelDelta = { readonly type: "text" | "reasoning"; readonly text: string }

export interface ModelRequest {
  readonly spec: ModelSpec
  /** Secret; undefined for `scripted` and for local servers that want none. */
  readonly apiKey: string | undefined
  readonly systemPrompt: string
  /** The transcript so far, oldest first; never empty. Every tool call is followed by its result. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly maxOutputTokens: number
  /** Stable per session: a cache routing key for providers that take one. */
  readonly cacheKey: string
  /** 1-based attempt of this very call; only a written conversation looks at it, to fail a number of times. Default 1. */
  readonly attempt?: number
  /** Ends the request at the provider. */
  readonly signal: AbortSignal
  /** Must not throw. */
  readonly onDelta: (delta: ModelDelta) => void
}

/**
 * One provider. `usage.inputTokens` of an answer leaves out what was read from and written to the provider's cache, so that the
 * three add up to the prompt; `reasoningTokens` are part of `outputTokens`. Answers with the whole assistant message (role "assistant"), or throws: SDK errors as they are (the classifier reads
 * them), `ModelError` for what the wire format itself reports. Keeps no state between calls and never retries by itself.
 */
export interface ModelProvider {
  respond(request: ModelRequest): Promise<AssistantMessage>
}
