import { createHash } from "node:crypto"
import type { AssistantMessage } from "../../contracts/message.ts"
import { firstFreeName } from "../../domain/tools/first-free-name.ts"

/** Length of the longest name or id that every provider accepts. */
const maxWireNameLength = 64
const hashLength = 12

const isAccepted = (name: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(name)

/** Whether a name looks like one that was changed. It is changed as well, so that it can be no other's. */
const looksChanged = (name: string): boolean => /_[0-9a-f]{12}$/.test(name)

const changed = (name: string, hashed: string): string => {
  const hash = createHash("sha256").update(hashed).digest("hex").slice(0, hashLength)
  return `${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxWireNameLength - hashLength - 1)}_${hash}`
}

/** Returns a key of arguments that every provider accepts, in the same way. Keys can have dots. */
export const toWireKey = (key: string): string =>
  /^[a-zA-Z0-9_.-]{1,64}$/.test(key) && !looksChanged(key) ? key : changed(key, key)

/**
 * Returns a name that every provider accepts: at most 64 letters, digits, `_` and `-`. It depends on the name alone: the name itself if it is accepted,
 * otherwise what fits of it and a hash of the whole. A name that depended on what else is in a list could later mean another thing.
 */
export const toWireName = (name: string): string =>
  isAccepted(name) && !looksChanged(name) ? name : changed(name, name)

/** Whether a repeated id got a number when the answer was read. */
const isCounted = (id: string): boolean => /~\d+$/.test(id)

/**
 * Returns the ids that a message's calls have in a request. Providers require at most 64 letters, digits, `_` and `-`, and each id once per
 * transcript; ids from another provider may not meet this. A model gets its own ids back as they were (`isOwn`), because gateways keep in them what only the model
 * understands. `taken` collects the ids across the transcript. An id that several calls have gets a hash that counts them, so that it does not depend on other ids.
 */
export const wireCallIds = (
  message: AssistantMessage,
  taken: Set<string>,
  isOwn: boolean,
): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const part of message.parts) {
    if (part.type !== "tool_call") continue
    const { id: own } = part.call
    const wanted = isOwn && !isCounted(own) ? own : toWireName(own)
    const id = firstFreeName(wanted, taken, (copy) => changed(own, `${own}\n${copy}`))
    taken.add(id)
    ids.set(own, id)
  }
  return ids
}
