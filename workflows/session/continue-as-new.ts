import { allHandlersFinished, condition, continueAsNew, patched, sleep } from "@temporalio/workflow"
import { activeChildren, type ChildState } from "../../domain/limits/child-state.ts"
import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import { isHistoryFull, isHistoryLong } from "../is-history-long.ts"
import { auditRemaining, untilInHistoryMs } from "./audit-operators.ts"
import { wasReset } from "./remaining-budget.ts"
import type { SessionContext } from "./session-context.ts"

/**
 * Returns whether this execution must not end before this child: Temporal closes a child with the execution that started it. A session that stays open
 * is nobody's child there, and reports to whichever execution is the latest; but what records the end of its run is an activity of this one.
 */
const needsExecution = ({ childEnds }: SessionContext, { use, id }: ChildState): boolean =>
  use !== "session" || childEnds.has(id)

const isNeeded = (context: SessionContext): boolean =>
  activeChildren(context.state.run.children).some((child) => needsExecution(context, child))

/**
 * Checks whether this execution should and can continue as new. A wait that ends because of a long history uses this check, never the length alone:
 * otherwise, `continueAsNewIfDue` returns without effect, and the wait starts again without a durable step in between.
 */
export const mayContinueAsNew = (context: SessionContext): boolean => {
  if (!isHistoryLong(context.settings?.timing.continueAsNewAfterEvents ?? 0) && !mustDrain(context)) return false
  if (activeChildren(context.state.run.children).length === 0) return true
  return !isNeeded(context) && patched("open-sessions-continue")
}

/**
 * Checks whether the history is so long that only work that waits for a person may be added. With children that Temporal would
 * close, this execution cannot continue as new, so that it waits for them before its next model turn.
 */
export const mustDrain = ({ settings }: SessionContext): boolean =>
  settings !== null && isHistoryFull(settings.timing.maxHistoryEvents)

/**
 * Ends the workflow task, so that the history has the pause. A signal makes the engine repeat the task that continues as new: a pause that was opened
 * in that task would be opened again, after the signal, which would find no pause to apply to.
 */
const putPauseInHistory = async ({ state }: SessionContext): Promise<void> => {
  if (state.run.pause !== null) await sleep(untilInHistoryMs)
}

/** Temporal drops a report to the parent that is sent in the task that continues as new: the parent would take a session that works for a paused one. */
const awaitReports = async (context: SessionContext): Promise<void> => {
  if (context.openReports > 0 && patched("reports-before-continuing")) await condition(() => context.openReports === 0)
}

/** Continues in a fresh execution with everything that matters. A cancel that this one was sent does not reach it. */
export const continueSessionAsNew = async (context: SessionContext): Promise<never> => {
  const { state } = context
  await putPauseInHistory(context)
  await awaitReports(context)
  // Never spins: each round after the first waits for the activity that records the end of a sub-agent.
  do {
    await condition(() => !isNeeded(context))
    await condition(allHandlersFinished)
    await auditRemaining(context)
  } while (isNeeded(context))
  if (context.clock !== null) state.run.ranMs = context.clock.ranMs()
  if (!wasReset(context)) state.run.execution = undefined
  return await continueAsNew<(input: LlmAgentInput) => Promise<void>>({ ...context.input, carried: state })
}

/**
 * Continues in a fresh execution where that is due and possible. Everything that matters is carried over; sessions continue in the middle of a wait
 * or between two steps.
 */
export const continueAsNewIfDue = async (context: SessionContext): Promise<void> => {
  if (mayContinueAsNew(context)) await continueSessionAsNew(context)
}
