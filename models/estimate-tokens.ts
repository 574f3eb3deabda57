const charactersPerToken = 4

/** Returns an estimate of the tokens of a text of this length, for answers of servers that do not count tokens. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)
