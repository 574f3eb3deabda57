/** The longest name or id that every provider accepts. */
export const maxWireNameLength = 64

/** Returns a name of letters, digits, `_` and `-`, as every provider accepts it. Two names may become the same. */
export const toWireName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxWireNameLength)

/** Returns the name, or the first of its numbered copies (2, 3 …) that is not taken. */
export const firstFreeName = (
  name: string,
  taken: { has(name: string): boolean },
  copyOf: (copy: number) => string,
): string => {
  let free = name
  for (let copy = 2; taken.has(free); copy++) free = copyOf(copy)
  return free
}
