import type { CompactionSettings } from "../../contracts/config/config-compaction.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import type { NextCall } from "../limits/usage-cost.ts"

/** Returns the longest answer to ask for. Half of the context at least is for the prompt. */
export const answerTokens = ({ maxOutputTokens, contextTokens }: ModelSpec): number =>
  contextTokens === undefined ? maxOutputTokens : Math.min(maxOutputTokens, Math.floor(contextTokens / 2))

/** Returns the tokens that a prompt may have; undefined if nothing limits it. */
export const promptLimit = (spec: ModelSpec, { atTokens }: CompactionSettings): number | undefined => {
  const fits = spec.contextTokens === undefined ? undefined : spec.contextTokens - answerTokens(spec)
  if (fits === undefined || atTokens === undefined) return fits ?? atTokens
  return Math.min(fits, atTokens)
}

const encoder = new TextEncoder()

export const utf8Length = (text: string): number => encoder.encode(text).length

/** Few texts have more tokens than this: English has about four bytes per token, code and JSON about three. */
const bytesPerToken = 3

export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

export const bytesOfTokens = (tokens: number): number => tokens * bytesPerToken

/** Returns an estimate of the tokens of a prompt: those that the provider counted, and a rather high number for the rest. */
export const estimatedPrompt = ({
  prefixTokens,
  newBytes,
  mediaTokens = 0,
}: Pick<NextCall, "prefixTokens" | "newBytes" | "mediaTokens">): number =>
  prefixTokens + tokensOfBytes(newBytes) + mediaTokens
