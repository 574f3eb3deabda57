import type { AssistantMessage } from "../contracts/message.ts"
import { firstFreeName, maxWireNameLength, toWireName } from "./wire-name.ts"

/**
 * Ids under which a message's calls go over the wire. Providers want letters, digits, `_` and `-`, at most 64, each id once per
 * transcript; ids of another provider, or made unique here, may be otherwise. `taken` collects the ids across the transcript.
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
