import { createHash } from "node:crypto"
import type { PauseRow } from "../../store/store.ts"
import type { DecideRequest } from "./decide-request.ts"

/**
 * Returns the SHA-256 of what a decision is about, for the audit: each decided call with its name, its arguments (the new ones of an edit), and what its
 * preview showed: the hash of the file that it changes, whether a sandbox would confine it, and the hash of how its MCP server describes the tool.
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
      const { file, confined = null, opens = null, tool_sha256: tool = null } = preview
      const given = decision?.action === "edit" ? decision.arguments : args
      return [id, name, given, file?.sha256 ?? null, confined, opens, tool]
    })
  return createHash("sha256").update(JSON.stringify(decided)).digest("hex")
}
