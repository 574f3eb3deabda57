const charactersPerToken = 4

/** Returns about how many tokens a text of this length has, for answers whose server counts none. */
export const estimateTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)
