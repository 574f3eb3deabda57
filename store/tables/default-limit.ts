/** How many rows a list returns when the caller names no limit. */
export const defaultLimit = 100
