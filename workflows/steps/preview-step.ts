import { ActivityFailure, isCancellation } from "@temporalio/workflow"
import { unstartedCalls } from "../../domain/calls/tool-batch.ts"
import { previewOptions } from "../activity-options.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, warn } from "../session/session-context.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"

/**
 * Makes the previews of the calls that wait for a decision, on a worker that has the working directory. Without them, the pause opens all the same
 * and shows what the arguments say.
 */
export const previewCalls = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  const { settings } = context
  const { batch } = run
  if (batch === null || settings === null) return
  const calls = unstartedCalls(batch).map(({ id, resultSeq, state, isEdited }) => ({
    id,
    resultSeq,
    isPending: state.at === "pending",
    ...(state.at === "pending" && state.again !== undefined ? { again: state.again } : {}),
    ...(isEdited === true ? { isEdited } : {}),
  }))
  const input = { ...runScope(context), assistantSeq: batch.assistantSeq, calls }
  const offer = {
    options: previewOptions(settings.timing),
    summary: `preview of ${calls.length === 1 ? "one call" : `${calls.length} calls`}`,
    // A person can decide while the machine has no worker.
    maxOffers: 2,
  }
  try {
    await executeOnWorker(context, offer, (activities) => activities.previewCalls(input))
    // Steering may have settled calls of the batch meanwhile.
    if (run.batch !== null) run.batch = { ...run.batch, isPreviewed: true }
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    warn(context, `the preview could not be made: ${error.cause?.message ?? error.message}`)
  }
}
