import type { Decide } from "../../contracts/approval/decision.ts"
import { pendingCalls } from "../calls/tool-batch.ts"
import { applyDecision, type OpenPause } from "../calls/apply-decision.ts"

/** Returns the refusal of a decision that was sent by hand on calls that a rule covers. */
export const coveredText = (ids: readonly string[]): string =>
  `${ids.join(", ")}: only the people that approvals in the configuration names decide this, with "adjutant approvals", a token or a message of their own`

/** Returns why a decision that no program signed is not taken: a rule covers calls that it decides. */
export const coveredProblem = (pause: OpenPause | undefined, decide: Decide): string | undefined => {
  if (pause === undefined || decide.signature !== undefined) return undefined
  const covered = new Set(pendingCalls(pause.batch).flatMap(({ id, isCovered }) => (isCovered === true ? [id] : [])))
  if (covered.size === 0) return undefined
  const decided = applyDecision(pause, decide).applied.flatMap(({ id }) => (covered.has(id) ? [id] : []))
  return decided.length === 0 ? undefined : coveredText(decided)
}
