import type { AssistantMessage } from "../contracts/message.ts"

const maxIdLength = 64

/**
 * Ids under which a message's calls go over the wire. Providers want letters, digits, `_` and `-`, at most 64, each id once per
 * transcript; ids of another provider, or made unique here, may be otherwise. `taken` collects the ids across the transcript.
 */
export const wireCallIds = (message: AssistantMessage, taken: Set<string>): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const part of message.parts) {
    if (part.type !== "tool_call") continue
    const clean = part.call.id.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxIdLength)
    let id = clean
    for (let copy = 2; taken.has(id); copy++) id = `${clean.slice(0, maxIdLength - 8)}_${copy}`
    taken.add(id)
    ids.set(part.call.id, id)
  }
  return ids
}
