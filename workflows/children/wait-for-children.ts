import { condition } from "@temporalio/workflow"
import { activeChildren, unreportedChildren, waitOfChildren } from "../../domain/limits/child-state.ts"
import { mayContinueAsNew } from "../session/continue-as-new.ts"
import { releaseSlotForWait } from "../lane/lane-slot.ts"
import { storeActivities } from "../store-activities.ts"
import { type SessionContext, showStatus, warn } from "../session/session-context.ts"
import { isTakenOver } from "../messages/waiting-messages.ts"
import { sayInThread } from "../delivery/start-deliveries.ts"
import { notifyParent } from "./child-reports.ts"

/** Shows in the store whether this session only waits for paused children, and notifies the parent: for it, this session is paused, too. */
const showWaiting = async (context: SessionContext, paused: boolean): Promise<void> => {
  const { state } = context
  const childIds = activeChildren(state.run.children).map(({ id }) => id)
  const scope = { sessionId: state.sessionId, runId: state.run.reference.run_id }
  showStatus(context, paused ? "paused" : "running")
  await storeActivities.showWaiting({ ...scope, paused, ...(paused ? { childIds } : {}) })
  if (context.parentSessionId !== null) notifyParent(context, paused ? "paused" : "running")
}

/** Shows the wait, and that it has ended. One for a provider only stops the clocks of the sessions above: none of them is paused. */
const showWait = async (context: SessionContext, wait: "people" | "provider", isOver: boolean): Promise<void> => {
  if (wait === "people") await showWaiting(context, !isOver)
  else if (context.parentSessionId !== null) notifyParent(context, "running", !isOver)
}

/**
 * Waits until `isDone`. While no child works, the clock of this session stops: all wait for people, and this session is paused, too, or at least one waits
 * for its provider.
 */
export const waitBesideChildren = async (context: SessionContext, isDone: () => boolean): Promise<void> => {
  const waitNow = () => waitOfChildren(context.state.run.children)
  // Never spins: a pass that does not return waits for a report of a child, and for another one.
  while (!isDone()) {
    await condition(() => isDone() || (waitNow() !== undefined && context.toolsRunning === 0 && !context.isBlocked))
    const wait = waitNow()
    if (isDone()) return
    // Another call of the step may have begun the same wait in this very moment.
    if (wait === undefined || context.isBlocked) continue
    context.isBlocked = true
    try {
      context.clock?.stop()
      await showWait(context, wait, false)
      await condition(() => isDone() || waitNow() !== wait)
      context.clock?.start()
      await showWait(context, wait, true)
    } finally {
      context.isBlocked = false
    }
  }
}

/**
 * Returns whether the model has something new to read: a text, a message in the thread, which begins the next run, or, where it reads the result of each
 * sub-agent by itself, a result.
 */
const hasNews = (context: SessionContext): boolean => {
  const { state, settings } = context
  if (state.waiting.length > 0 || isTakenOver(context)) return true
  return (
    settings?.thread?.reports === "each" &&
    (unreportedChildren(state.run.children).length > 0 || state.reports.length > 0)
  )
}

/**
 * Waits until all children have ended, the execution can and should continue as new or, where news ends the wait, there is some. Before that, its thread
 * receives what the agent has said. Callers begin the wait only while it is not over.
 */
export const waitForChildren = async (context: SessionContext, { endsForTexts = true } = {}): Promise<void> => {
  const { state } = context
  const isDone = () =>
    activeChildren(state.run.children).length === 0 || (endsForTexts && hasNews(context)) || mayContinueAsNew(context)
  if (endsForTexts) await sayInThread(context)
  await releaseSlotForWait(context, isDone)
  await waitBesideChildren(context, isDone)
}

/** Waits until all children have ended: then a fresh execution can follow this one, whose history is full. */
export const drainChildren = async (context: SessionContext): Promise<void> => {
  warn(context, "the history is full: the next model turn comes when all sub-agents have ended")
  await waitForChildren(context, { endsForTexts: false })
}

/** Waits for the end of the child of a synchronous call. */
export const waitForChild = async (context: SessionContext, hasEnded: () => boolean): Promise<void> => {
  await releaseSlotForWait(context, hasEnded)
  if (hasEnded()) return
  await waitBesideChildren(context, hasEnded)
}
