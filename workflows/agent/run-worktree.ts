import { ActivityFailure } from "@temporalio/workflow"
import type { RunEnd } from "../session/run-end.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, warn } from "../session/session-context.ts"
import { textsToWrite } from "../session/transcript-places.ts"
import { worktreeOptions } from "../activity-options.ts"
import { lastOffers } from "./run-hooks.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"

const offerOf = (context: SessionContext, summary: string) => {
  const { settings } = context
  if (settings === null) throw new Error("a worktree is used before the run was opened")
  return { options: worktreeOptions(settings.timing), summary }
}

/** Creates the worktree of a run that works in one. Returns the end of a run that cannot have one. */
export const openWorktree = async (context: SessionContext): Promise<RunEnd | undefined> => {
  if (context.settings?.worktree !== true) return undefined
  const { refusal } = await executeOnWorker(context, offerOf(context, "create the worktree"), (activities) =>
    activities.openWorktree(runScope(context)),
  )
  return refusal === null
    ? undefined
    : { stopReason: "error", error: refusal, finish: null, append: textsToWrite(context) }
}

/** Stores what the run changed in its worktree and removes it, for every outcome. What fails is done by the machine's next worker. */
export const closeWorktree = async (context: SessionContext): Promise<void> => {
  if (context.settings?.worktree !== true) return
  try {
    const offer = { ...offerOf(context, "end the worktree"), maxOffers: lastOffers }
    await executeOnWorker(context, offer, (activities) => activities.closeWorktree(runScope(context)))
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    warn(context, `the worktree could not be removed: ${error.cause?.message ?? error.message}`)
  }
}
