/** Returns whether a value from a signal can be an id: a string of 1 to 1,000 UTF-16 units. */
export const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 1_000
