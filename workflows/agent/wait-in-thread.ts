import { CancellationScope, condition, isCancellation } from "@temporalio/workflow"
import { storeActivities } from "../store-activities.ts"
import type { SessionContext } from "../session/session-context.ts"

const waitForMessage = async (context: SessionContext): Promise<void> => {
  const { state } = context
  const hasMessage = () => state.followUps.length > 0 || state.waiting.length > 0
  while (!hasMessage()) {
    context.bindingChanged = false
    const left = await storeActivities.checkBinding({ sessionId: state.sessionId })
    if (left.kind === "unbound") return
    const moves = () => hasMessage() || context.bindingChanged
    if (left.leftMs === null) await condition(moves)
    else await condition(moves, left.leftMs)
  }
}

/**
 * Waits between two runs of a session that is bound to a thread. Returns when a message has arrived or the binding has ended. A cancel ends the
 * binding, too, and does not change the outcome of the last run.
 */
export const waitInThread = async (context: SessionContext): Promise<void> => {
  try {
    await waitForMessage(context)
  } catch (error) {
    if (!isCancellation(error)) throw error
    await CancellationScope.nonCancellable(() => storeActivities.releaseBinding({ sessionId: context.state.sessionId }))
  }
}

/** Reports the end of a run to the session that asked for this one, or to the nearest one above it. */
export const reportRun = (context: SessionContext): Promise<void> =>
  CancellationScope.nonCancellable(() =>
    storeActivities.reportRun({ sessionId: context.state.sessionId, runId: context.state.run.reference.run_id }),
  )
