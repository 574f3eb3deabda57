import { patched } from "@temporalio/workflow"
import type { Decide } from "../../contracts/approval/decision.ts"
import { type AppliedDecision, applyDecision, notIncluded, type OpenPause } from "../../domain/calls/apply-decision.ts"
import { pendingCalls } from "../../domain/calls/tool-batch.ts"

/**
 * Applies a decision to the open pause. Earlier, `unlisted: reject` together with `all: accept` rejected the calls that an approval of all does not include.
 * Not for validators of updates, which may write nothing to history.
 */
export const applyToPause = (pause: OpenPause, payload: Decide): AppliedDecision => {
  const isMixed =
    payload.unlisted === "reject" &&
    payload.all !== undefined &&
    notIncluded(payload.all, pendingCalls(pause.batch)).length > 0
  return applyDecision(pause, payload, { unlistedWithAll: isMixed && !patched("all-leaves-protected-pending") })
}
