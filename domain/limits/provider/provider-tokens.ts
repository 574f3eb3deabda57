import type { AssistantMessage, Message } from "../../../contracts/message.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import type { NextCall } from "../prompt/next-call.ts"
import type { TokenUsage } from "../usage-cost.ts"

/** Most answers are shorter; the real number replaces the estimate. */
const usualOutputTokens = 1_000

/** Anthropic does not count tokens that are read from its cache. */
const countsCacheReads = ({ provider }: Pick<ModelSpec, "provider">): boolean => provider !== "anthropic"

const isCached = (spec: Pick<ModelSpec, "provider" | "model">, messages: readonly Message[]): boolean => {
  const last = messages.findLast((message): message is AssistantMessage => message.role === "assistant")
  return !countsCacheReads(spec) && last?.provider === spec.provider && last.model === spec.model
}

/** Returns about how many tokens of a call its provider will count towards its limit. */
export const expectedTokens = (
  spec: Pick<ModelSpec, "provider" | "model">,
  { prefixTokens, newTokens, mediaTokens = 0, maxOutputTokens }: NextCall,
  messages: readonly Message[],
): number =>
  (isCached(spec, messages) ? 0 : prefixTokens) + newTokens + mediaTokens + Math.min(maxOutputTokens, usualOutputTokens)

/** Returns how many tokens of a call its provider counted towards its limit. */
export const limitedTokens = (spec: Pick<ModelSpec, "provider">, usage: TokenUsage): number =>
  usage.inputTokens + usage.cacheWriteTokens + usage.outputTokens + (countsCacheReads(spec) ? usage.cacheReadTokens : 0)
