import { ActivityFailure } from "@temporalio/workflow"
import type { RunHooksInput, RunHooksResult } from "../../activities/contract/agent-activities.ts"
import { hookOptions } from "../activity-options.ts"
import type { RunEnd } from "../agent/run-end.ts"
import { executeOnWorker } from "./execute-on-worker.ts"
import { runScope } from "../agent/run-scope.ts"
import { type SessionContext, takeOutbox, warn } from "../agent/session-context.ts"
import { textsToWrite } from "../agent/transcript-places.ts"

const runHooks = (
  context: SessionContext,
  call: Pick<RunHooksInput, "phase" | "append" | "error">,
): Promise<RunHooksResult> => {
  const { state, settings } = context
  if (settings === null) throw new Error("hooks run before the run was opened")
  const input = {
    ...runScope(context),
    headSeq: state.headSeq,
    outbox: takeOutbox(state),
    ...call,
  }
  const { timing } = settings
  const offer = {
    options: hookOptions(timing),
    summary: `${call.phase} hooks`,
    offerMs: timing.hostQueueTimeoutMs,
  }
  return executeOnWorker(state, offer, (activities) => activities.runHooks(input))
}

/** Returns the end of a run that a hook did not let begin. Its instruction is in the transcript then, too. */
export const runBeforeHooks = async (context: SessionContext): Promise<RunEnd | undefined> => {
  if (context.settings?.hasBeforeHooks !== true) return undefined
  const { refusal } = await runHooks(context, { phase: "before", append: textsToWrite(context) })
  return refusal === null ? undefined : { stopReason: "error", error: refusal, finish: null }
}

/** However the run ended. What goes wrong here changes nothing of that. */
export const runAfterHooks = async (context: SessionContext, end: RunEnd): Promise<void> => {
  if (context.settings?.hasAfterHooks !== true) return
  try {
    await runHooks(context, { phase: "after", append: [], error: end.error })
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    warn(context, `after hooks could not be run: ${error.cause?.message ?? error.message}`)
  }
}
