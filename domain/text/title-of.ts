const maxTitleChars = 120

/** Returns the beginning of a text, on one line, as a session's title. */
export const titleOf = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, maxTitleChars)
