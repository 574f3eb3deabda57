import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from "@temporalio/workflow"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { laneSignalNames, type SlotOffer } from "../../domain/lane/lane-message.ts"
import type { LanePlace } from "../../domain/lane/lane-queue.ts"
import { storeActivities } from "../store-activities.ts"
import { continueAsNewIfDue } from "../session/continue-as-new.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showDetails, showStatus, withOutbox } from "../session/session-context.ts"

const placeOf = (context: SessionContext, turn = context.state.slot.turn): LanePlace => {
  const { workflowId, firstExecutionRunId } = workflowInfo()
  return { workflowId, runId: firstExecutionRunId, turn }
}

const requestSlot = async (context: SessionContext): Promise<void> => {
  const { state, settings } = context
  if (settings === null) throw new Error("a run asks for a slot before it was opened")
  const { timing, laneCapacity } = settings
  await storeActivities.acquireSlot({
    taskQueue: workflowInfo().taskQueue,
    request: {
      ...placeOf(context),
      resumes: state.slot.workedRun === state.run.reference.run_id,
      capacity: laneCapacity,
      checkMs: timing.laneCheckMs,
      idleMs: timing.laneIdleMs,
      continueAsNewAfterEvents: timing.continueAsNewAfterEvents,
      maxSignals: timing.laneMaxSignals,
    },
    sessionRunId: state.run.reference.run_id,
  })
}

/** Shows the session as pending, once per wait. */
const showQueued = async (context: SessionContext): Promise<void> => {
  const { state } = context
  showStatus(context, "pending")
  state.slot = { ...state.slot, rowIsPending: true }
  await withOutbox(state, (outbox) => storeActivities.showQueued({ ...runScope(context), outbox }))
}

const isHeld = (context: SessionContext): boolean => context.state.slot.at === "held"

/** Returns whether the session needs a slot of its lane to work, and has none. */
export const needsSlot = (context: SessionContext): boolean =>
  !isHeld(context) && (context.settings?.laneCapacity ?? 0) > 0

/** A session without a slot after so long shows as pending. */
const noticeMs = 500

/** The wait before a session requests again doubles so many times. */
const maxDoublings = 3

/** Waits for the slot until it is time to request it again. Each time is longer: many queued sessions must not exhaust the lane's signals. */
const waitForSlot = async (context: SessionContext, retryMs: number): Promise<void> => {
  const { state } = context
  const requests = state.slot.requests
  state.slot = { ...state.slot, requests: requests + 1 }
  const waitMs = retryMs * 2 ** Math.min(requests, maxDoublings)
  if (context.status !== "pending") {
    if (await condition(() => isHeld(context), Math.min(noticeMs, waitMs))) return
    await showQueued(context)
  }
  await condition(() => isHeld(context), waitMs)
}

/**
 * Waits for a slot of the lane if the session needs one. What the run does next may have changed meanwhile. The run's clock stops while the session is
 * queued.
 */
export const acquireSlot = async (context: SessionContext): Promise<void> => {
  const { state, settings } = context
  if (!needsSlot(context)) return
  context.clock?.stop()
  if (state.slot.at === "none") state.slot = { ...state.slot, at: "waiting", turn: state.slot.turn + 1, requests: 0 }
  while (!isHeld(context)) {
    await continueAsNewIfDue(context)
    await requestSlot(context)
    const retryMs = settings?.timing.laneRetryMs ?? 60_000
    await waitForSlot(context, retryMs)
  }
  showStatus(context, "running")
}

/** Returns the slot to the lane, or leaves the queue: before a wait, and at the end. */
export const releaseSlot = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (state.slot.at === "none") return
  state.slot = { ...state.slot, at: "none" }
  await CancellationScope.nonCancellable(() =>
    storeActivities.releaseSlot({ taskQueue: workflowInfo().taskQueue, place: placeOf(context) }),
  )
}

/** Applies the lane's offer of a slot. One that is no longer needed is returned at once. */
export const applyOffer = (context: SessionContext, offer: SlotOffer): undefined => {
  const { state } = context
  const { turn } = state.slot
  const isMine = offer.run_id === workflowInfo().firstExecutionRunId
  if (!isMine || offer.turn !== turn || state.slot.at === "none") {
    returnSlot({ ...placeOf(context), runId: offer.run_id, turn: offer.turn })
    return
  }
  if (state.slot.at === "held") return
  state.slot = { ...state.slot, at: "held", workedRun: state.run.reference.run_id }
  showDetails(context)
}

/** Frees the slot for the children before a wait for them, once no tool of the same step runs any more. */
export const releaseSlotForWait = async (context: SessionContext, isOver: () => boolean): Promise<void> => {
  if (context.state.slot.at === "none") return
  await condition(() => isOver() || context.toolsRunning === 0)
  if (!isOver()) await releaseSlot(context)
}

const returnSlot = (place: LanePlace): void => {
  void getExternalWorkflowHandle(laneWorkflowId(workflowInfo().taskQueue))
    .signal(laneSignalNames.release, place)
    .catch(() => undefined)
}
