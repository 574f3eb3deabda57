/** How many rows a list returns if the caller sets no limit. */
export const defaultLimit = 100
