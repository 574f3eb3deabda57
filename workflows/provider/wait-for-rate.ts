import { condition } from "@temporalio/workflow"
import type { CallModelResult } from "../../activities/contract/call-model-result.ts"
import { mayContinueAsNew } from "../session/continue-as-new.ts"
import { type SessionContext, showDetails } from "../session/session-context.ts"
import { isSteered } from "../messages/waiting-messages.ts"
import { modelInUse } from "../session/model-in-use.ts"

/** Notes that the step's model call was not made, because the limits of the provider's key allow it later. */
export const noteRateLimit = (
  context: SessionContext,
  { waitMs, since, failedAttempts }: Extract<CallModelResult, { kind: "rate-limited" }>,
): void => {
  const { run } = context.state
  run.rateLimit = { since, nextAtMs: Date.now() + waitMs, model: modelInUse(context), failedAttempts }
}

/** Returns how many attempts of the next model call have failed, between which the run waited: they count, too. */
export const failedAttemptsOf = (context: SessionContext): number => {
  const { rateLimit } = context.state.run
  return rateLimit?.model === modelInUse(context) ? rateLimit.failedAttempts : 0
}

/** Notes that the attempts of the model call are used up: the next call of the step has all its own. */
export const forgetFailedAttempts = ({ state: { run } }: SessionContext): void => {
  if (run.rateLimit != null) run.rateLimit = { ...run.rateLimit, failedAttempts: 0 }
}

/** Returns whether the run must wait before its next model call. Another model is called at once. */
export const isRateLimited = (context: SessionContext): boolean => {
  const { rateLimit } = context.state.run
  return rateLimit != null && Date.now() < rateLimit.nextAtMs && rateLimit.model === modelInUse(context)
}

/**
 * Waits until the call's time has come, or until a message steers the run, whose text the model's next prompt contains. The run's clock does not count; its
 * slot is kept, since the wait is short and the place in the provider's queue is, too.
 */
export const waitForRate = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  if (run.rateLimit == null) return
  context.clock?.stop()
  showDetails(context)
  const waitMs = Math.max(1, run.rateLimit.nextAtMs - Date.now())
  const isOver = () => !isRateLimited(context) || isSteered(context.state) || mayContinueAsNew(context)
  await condition(isOver, waitMs)
  if (isSteered(context.state)) run.rateLimit = { ...run.rateLimit, nextAtMs: Date.now() }
}
