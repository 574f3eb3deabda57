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
