import { ActivityFailure } from "@temporalio/workflow"
import type { RunHooksInput, RunHooksResult } from "../../activities/contract/agent-activities.ts"
import { hookOptions } from "../activity-options.ts"
import type { RunEnd } from "../session/run-end.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, withOutbox, warn } from "../session/session-context.ts"
import { textsToWrite } from "../session/transcript-places.ts"

/** Offers of what a run that has ended still does. With the default of 5 s for the first one, they take less than two minutes. */
export const lastOffers = 4

const runHooks = (
  context: SessionContext,
  call: Pick<RunHooksInput, "phase" | "append" | "error">,
): Promise<RunHooksResult> => {
  const { state, settings } = context
  if (settings === null) throw new Error("hooks run before the run was opened")
  const input = {
    ...runScope(context),
    headSeq: state.headSeq,
    ...call,
  }
  const { timing } = settings
  const offer = {
    options: hookOptions(timing),
    summary: `${call.phase} hooks`,
    // A run that has ended does not wait for a machine that is gone.
    ...(call.phase === "after" ? { maxOffers: lastOffers } : {}),
  }
  return withOutbox(state, (outbox) =>
    executeOnWorker(context, offer, (activities) => activities.runHooks({ ...input, outbox })),
  )
}

/**
 * Runs the before hooks once per run, before its first step: in a later execution if the run continued as new while it waited for a slot. Returns
 * the end of a run that a hook refuses. The transcript contains its instruction then, too.
 */
export const runBeforeHooks = async (context: SessionContext): Promise<RunEnd | undefined> => {
  const { run } = context.state
  const isDue = context.settings?.hasBeforeHooks === true && run.beforeHooks === "due"
  if (!isDue) {
    run.beforeHooks = "done"
    return undefined
  }
  const { refusal } = await runHooks(context, { phase: "before", append: textsToWrite(context) })
  run.beforeHooks = "done"
  return refusal === null ? undefined : { stopReason: "error", error: refusal, finish: null }
}

/** Runs the after hooks for every outcome. Their failures do not change the outcome. */
export const runAfterHooks = async (context: SessionContext, end: RunEnd): Promise<void> => {
  if (context.settings?.hasAfterHooks !== true) return
  try {
    await runHooks(context, { phase: "after", append: [], error: end.error })
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    warn(context, `after hooks could not be run: ${error.cause?.message ?? error.message}`)
  }
}
