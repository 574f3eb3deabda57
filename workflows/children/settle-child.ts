import {
  CancellationScope,
  CancelledFailure,
  type ChildWorkflowHandle,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  type Workflow,
} from "@temporalio/workflow"
import type { SettleChildInput } from "../../activities/contract/delegation-activities.ts"
import type { ChildState } from "../../domain/limits/child-state.ts"
import { addUsage } from "../../domain/limits/usage-totals.ts"
import { emit, type RunState } from "../../domain/session/session-state.ts"
import { type SessionContext, showDetails } from "../session/session-context.ts"
import { storeActivities } from "../store-activities.ts"

const engineEnd = (error: unknown): SettleChildInput["engine"] => {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error
  if (cause instanceof TerminatedFailure) return "terminated"
  if (cause instanceof CancelledFailure) return "cancelled"
  return cause instanceof TimeoutFailure ? "timed_out" : "failed"
}

export const showChildEnd = (run: RunState, child: ChildState): void =>
  emit(run, "child-finished", {
    child_session_id: child.id,
    child_run_id: child.runId,
    stop_reason: child.stopReason,
  })

const settle = async (
  context: SessionContext,
  child: ChildState,
  engine: SettleChildInput["engine"],
): Promise<void> => {
  const { usedBefore } = child
  // What a child used counts, however the run of its parent ends.
  const settled = await CancellationScope.nonCancellable(() =>
    storeActivities.settleChild({
      childId: child.id,
      runId: child.runId,
      engine,
      ...(usedBefore === undefined ? {} : { usedBefore }),
    }),
  )
  child.status = "ended"
  child.stopReason = settled.stopReason
  child.isSilent ||= settled.isSilent
  child.usedBefore = settled.usedSoFar
  const { run } = context.state
  run.childrenUsage = addUsage(run.childrenUsage, settled.usage)
  // Between two runs, the next one shows it, or the thread is told.
  if (run.passedOn === undefined) showChildEnd(run, child)
  showDetails(context)
}

/** Settles the child when the engine reports its end. */
export const settleWhenEnded = (
  context: SessionContext,
  child: ChildState,
  handle: ChildWorkflowHandle<Workflow>,
): void => {
  const ended = handle
    .result()
    .then(
      () => settle(context, child, "completed"),
      (error: unknown) => settle(context, child, engineEnd(error)),
    )
    .catch(() => {
      child.status = "ended"
      child.stopReason ??= "cancelled"
    })
  context.childEnds.set(child.id, ended)
}

/** Records that a child's run has ended, where the engine does not report it. */
export const settleChildRun = (context: SessionContext, child: ChildState): void => {
  const ended = settle(context, child, "completed").catch(() => {
    child.status = "ended"
  })
  context.childEnds.set(child.id, ended)
}
