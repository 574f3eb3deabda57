import type { AssistantMessage } from "../contracts/message.ts"

/** Length of the longest name or id that every provider accepts. */
export const maxWireNameLength = 64

/** Returns the name with only letters, digits, `_` and `-`, which every provider accepts. Two names can become the same. */
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

/**
 * Returns the ids that a message's calls have in a request. Providers require at most 64 letters, digits, `_` and `-`, and each id once per
 * transcript; ids from another provider may not meet this. `taken` collects the ids across the transcript.
 */
export const wireCallIds = (message: AssistantMessage, taken: Set<string>): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const part of message.parts) {
    if (part.type !== "tool_call") continue
    const clean = toWireName(part.call.id)
    const id = firstFreeName(clean, taken, (copy) => `${clean.slice(0, maxWireNameLength - 8)}_${copy}`)
    taken.add(id)
    ids.set(part.call.id, id)
  }
  return ids
}
