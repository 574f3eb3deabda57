/** A model call that has not been made yet. */
export interface NextCall {
  /** Tokens that the provider counted for the part of the prompt that was sent before. */
  readonly prefixTokens: number
  /** The estimated tokens of the text after that part. */
  readonly newTokens: number
  /** Bytes of UTF-8 of the same text, which are never fewer than its tokens. */
  readonly newBytes: number
  /** Tokens of images and PDF files after that part; absent if there are none. */
  readonly mediaTokens?: number
  readonly maxOutputTokens: number
}

/** By how much an estimate can be too low, where a prompt has to fit. */
const margin = 1.2

export const withMargin = (tokens: number): number => Math.ceil(tokens * margin)

/** Returns an estimate of the tokens of a prompt: those that the provider counted, and a rather high number for the rest. */
export const estimatedPrompt = ({
  prefixTokens,
  newTokens,
  mediaTokens = 0,
}: Pick<NextCall, "prefixTokens" | "newTokens" | "mediaTokens">): number =>
  prefixTokens + withMargin(newTokens) + mediaTokens
