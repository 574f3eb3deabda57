import { estimateTokenCount } from "tokenx"

/** Encoded data and other words without end, which have many more tokens than a word of their length. */
const longWord = { pattern: /^[\w+/=-]{24,}$/, averageCharsPerToken: 3.6 }

/** Longer texts are estimated from their beginning: their tokens are counted by the provider soon after. */
const measuredCharacters = 400_000

/** Returns an estimate of the tokens of a text, for any language and for code. It has no margin: a caller that must not be short of tokens adds one. */
export const estimateTokens = (text: string): number => {
  const part = text.length > measuredCharacters ? text.slice(0, measuredCharacters) : text
  const tokens = estimateTokenCount(part, { languageConfigs: [longWord] })
  return part === text ? tokens : Math.ceil((tokens / part.length) * text.length)
}
