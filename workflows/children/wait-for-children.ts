import { condition } from "@temporalio/workflow"
import { activeChildren, unreportedChildren } from "../../domain/limits/child-state.ts"
import { releaseSlotForWait } from "../lane/lane-slot.ts"
import { record } from "../record-activities.ts"
import { type SessionContext, showStatus } from "../agent/session-context.ts"
import { sayInThread } from "../steps/say-in-thread.ts"
import { notifyParent } from "./child-reports.ts"
import { hasChange } from "../has-change.ts"

const areAllPaused = ({ state }: SessionContext): boolean => {
  const active = activeChildren(state.run.children)
  return active.length > 0 && active.every(({ status }) => status === "paused")
}

/** Shows in the store whether this session only waits for paused children, and notifies the parent: for it, this session is paused, too. */
const showWaiting = async (context: SessionContext, paused: boolean): Promise<void> => {
  const { state } = context
  const childIds = activeChildren(state.run.children).map(({ id }) => id)
  const scope = { sessionId: state.sessionId, runId: state.run.reference.run_id }
  showStatus(context, paused ? "paused" : "running")
  await record.showWaiting({ ...scope, paused, ...(paused ? { childIds } : {}) })
  if (context.parentSessionId !== null && hasChange("blocked-parents"))
    notifyParent(context, paused ? "paused" : "running")
}

/** Waits until `isDone`. While every child is paused, this session is paused, too, and its clock stops. */
const waitBesideChildren = async (context: SessionContext, isDone: () => boolean): Promise<void> => {
  // Never spins: a pass that does not return records that it waits, and that it no longer does.
  while (!isDone()) {
    await condition(() => isDone() || (areAllPaused(context) && context.toolsRunning === 0 && !context.isBlocked))
    if (isDone()) return
    context.isBlocked = true
    try {
      context.clock?.stop()
      await showWaiting(context, true)
      await condition(() => isDone() || !areAllPaused(context))
      context.clock?.start()
      await showWaiting(context, false)
    } finally {
      context.isBlocked = false
    }
  }
}

/** Returns whether the model has something new to read: a text or, where it reads the result of each sub-agent by itself, a result. */
const hasNews = ({ state, settings }: SessionContext): boolean =>
  state.waiting.length > 0 ||
  (settings?.thread?.reports === "each" &&
    (unreportedChildren(state.run.children).length > 0 || state.reports.length > 0))

/**
 * Waits until all children have ended or, where news ends the wait, there is some. Before that, its thread receives what the agent has said. Callers
 * begin the wait only while it is not over.
 */
export const waitForChildren = async (context: SessionContext, { endsForTexts = true } = {}): Promise<void> => {
  const { state } = context
  const isDone = () => activeChildren(state.run.children).length === 0 || (endsForTexts && hasNews(context))
  if (endsForTexts) await sayInThread(context)
  await releaseSlotForWait(context, isDone)
  await waitBesideChildren(context, isDone)
}

/** Waits for the end of the child of a synchronous call. */
export const waitForChild = async (context: SessionContext, hasEnded: () => boolean): Promise<void> => {
  await releaseSlotForWait(context, hasEnded)
  if (hasEnded()) return
  if (hasChange("blocked-calls")) await waitBesideChildren(context, hasEnded)
  else await condition(hasEnded)
}
