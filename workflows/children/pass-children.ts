import { CancellationScope, condition, isCancellation } from "@temporalio/workflow"
import { activeChildren, type ChildState, isActive, type Reserve } from "../../domain/limits/child-state.ts"
import type { RunState } from "../../domain/session/session-state.ts"
import { startDeliveries } from "../delivery/start-deliveries.ts"
import { storeActivities } from "../store-activities.ts"
import { hasThread, mayPassOn, messagesBeginRuns } from "../messages/waiting-messages.ts"
import type { RunEnd } from "../session/run-end.ts"
import { sharedBudget } from "../session/remaining-budget.ts"
import type { SessionContext } from "../session/session-context.ts"
import { showChildEnd } from "./settle-child.ts"
import { stopChildren } from "./stop-children.ts"

/**
 * Notes at the end of a run in a thread that the next run takes its children over: where a message has completed a run that only waited for them, and where
 * it has used its steps up. Returns whether that is so.
 */
export const passesChildrenOn = (context: SessionContext, { stopReason }: RunEnd): boolean => {
  const { run } = context.state
  const active = activeChildren(run.children)
  const mayPass = stopReason === "completed" || stopReason === "max_steps"
  if (active.length === 0 || !mayPass || !hasThread(context) || !messagesBeginRuns() || !mayPassOn(context))
    return false
  run.passedOn = active.map(({ id }) => id)
  return true
}

const passedOn = ({ passedOn: ids = [], children }: RunState): readonly ChildState[] =>
  children.filter(({ id }) => ids.includes(id))

/** Returns what the next run takes over from the one that has just ended: its children, and with them what is left of its budget. */
export const childrenToTakeOver = (
  context: SessionContext,
): Pick<RunState, "children"> & { readonly shareLeft?: Reserve } => {
  const children = [...passedOn(context.state.run)]
  return children.length === 0 ? { children } : { children, shareLeft: sharedBudget(context) }
}

/** Shows the ends of children that came between two runs. */
export const showMissedEnds = (run: RunState): void => {
  for (const child of run.children) if (!isActive(child)) showChildEnd(run, child)
}

/** Reports the result of a child in the thread, and keeps it for the next run. */
const report = async (context: SessionContext, child: ChildState): Promise<void> => {
  const { run } = context.state
  run.passedOn = (run.passedOn ?? []).filter((id) => id !== child.id)
  child.isReported = true
  const { deliveries } = await storeActivities.reportToThread({ sessionId: child.id, runId: child.runId })
  await startDeliveries(deliveries)
}

const untilEnded = async (context: SessionContext): Promise<void> => {
  const { state } = context
  const hasMessage = () => state.followUps.length > 0 || state.waiting.length > 0
  const ended = () => passedOn(state.run).find((child) => !isActive(child))
  // Never spins: each pass reports the end of a child, which is then one of the run no more.
  while (passedOn(state.run).length > 0 && !hasMessage()) {
    await condition(() => hasMessage() || ended() !== undefined)
    const child = ended()
    if (child !== undefined && !hasMessage()) await report(context, child)
  }
}

/** Waits after a run in a thread that left children at work: until a message begins the next run, or all of them have ended. */
export const waitWithPassedChildren = async (context: SessionContext): Promise<void> => {
  try {
    await untilEnded(context)
  } catch (error) {
    if (!isCancellation(error)) throw error
    await CancellationScope.nonCancellable(() => stopChildren(context, true))
  }
}
