import { createHash } from "node:crypto"
import type { CallDecision, Decide } from "../../contracts/approval/decision.ts"
import { notIncluded } from "../../domain/calls/apply-decision.ts"
import type { PauseRow } from "../../store/store.ts"
import type { DecideRequest } from "../decide-request.ts"

/** Returns the SHA-256 of calls as their pause shows them, for the audit. */
export const callsHash = (calls: PauseRow["calls"]): string =>
  decidedHash({ calls }, Object.fromEntries(calls.map(({ id }) => [id, "accept"])), {})

/**
 * Returns the SHA-256 of what a decision is about, for the audit: each decided call with its name, its arguments (the new ones of an edit), and what its
 * preview showed: the hash of the file that it changes, whether a sandbox would confine it, and the hash of how its MCP server describes the tool.
 */
const decidedHash = (
  { calls }: Pick<PauseRow, "calls">,
  actions: Readonly<Record<string, unknown>>,
  asked: NonNullable<DecideRequest["decisions"]>,
): string => {
  const decided = calls
    .filter(({ id }) => Object.hasOwn(actions, id))
    .map(({ id, name, arguments: args, preview }) => {
      const decision = Object.hasOwn(asked, id) ? asked[id] : undefined
      const { file, confined = null, opens = null, tool_sha256: tool = null } = preview
      const given = decision?.action === "edit" ? decision.arguments : args
      return [id, name, given, file?.sha256 ?? null, confined, opens, tool]
    })
  return createHash("sha256").update(JSON.stringify(decided)).digest("hex")
}

/** Returns the action for each pending call, without the calls that stay pending. */
export const plannedActions = (pause: PauseRow, payload: Decide): Readonly<Record<string, CallDecision["action"]>> => {
  const left = new Set(notIncluded(payload.all, pause.calls).map(({ id }) => id))
  return Object.fromEntries(
    pause.calls.flatMap(({ id }) => {
      const listed = Object.hasOwn(payload.decisions, id) ? payload.decisions[id] : undefined
      const forAll = left.has(id) ? undefined : payload.all?.action
      const action = listed?.action ?? forAll ?? (payload.unlisted === "reject" ? "reject" : undefined)
      return action === undefined ? [] : [[id, action] as const]
    }),
  )
}

/** Returns what the audit log says about a decision. `asked`: the decisions as they were requested, with the new arguments of edits. */
export const decisionRecord = (pause: PauseRow, payload: Decide, asked: DecideRequest["decisions"] = {}) => {
  const decisions = plannedActions(pause, payload)
  return {
    hash: decidedHash(pause, decisions, asked),
    detail: { checkpoint_id: pause.checkpointId, decision_id: payload.decision_id, decisions },
  }
}
