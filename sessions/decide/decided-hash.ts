import { createHash } from "node:crypto"
import type { PauseRow } from "../../store/store.ts"
import type { DecideRequest } from "./decide-request.ts"

/**
 * Returns the SHA-256 of what a decision is about, for the audit: each decided call with its name, its arguments (the new ones of an edit) and the hash of
 * the file that it changes, as its preview showed it.
 */
export const decidedHash = (
  { calls }: Pick<PauseRow, "calls">,
  actions: Readonly<Record<string, unknown>>,
  { decisions = {} }: Pick<DecideRequest, "decisions">,
): string => {
  const decided = calls
    .filter(({ id }) => Object.hasOwn(actions, id))
    .map(({ id, name, arguments: args, preview }) => {
      const decision = Object.hasOwn(decisions, id) ? decisions[id] : undefined
      return [id, name, decision?.action === "edit" ? decision.arguments : args, preview.file?.sha256 ?? null]
    })
  return createHash("sha256").update(JSON.stringify(decided)).digest("hex")
}
