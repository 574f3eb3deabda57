import type { CompactionSettings } from "../../contracts/config/config-compaction.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"

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

/** Of a text that is cut to fit a number of tokens. Few texts have more tokens than this: English has about four bytes per token, code and JSON about three. */
const bytesPerToken = 3

export const bytesOfTokens = (tokens: number): number => tokens * bytesPerToken
