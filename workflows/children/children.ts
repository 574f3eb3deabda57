import {
  CancelledFailure,
  type ChildWorkflowHandle,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  proxyLocalActivities,
  startChild,
  TerminatedFailure,
  TimeoutFailure,
  type Workflow,
  workflowInfo,
} from "@temporalio/workflow"
import type { BindingActivities } from "../../activities/contract/binding-activities.ts"
import type {
  DelegationActivities,
  PreparedChild,
  SettleChildInput,
} from "../../activities/contract/delegation-activities.ts"
import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"
import { type ChildState, type ChildUse, isActive } from "../../domain/limits/child-state.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { memoOf, searchAttributesOf, type ShownSession, summaryOf } from "../../domain/engine/shown-session.ts"
import type { LlmAgentInput } from "../../domain/run/agent-input.ts"
import { emit } from "../../domain/run/session-state.ts"
import { addUsage } from "../../domain/limits/usage-totals.ts"
import { workflowTaskTimeoutMs } from "../../domain/engine/workflow-task-timeout.ts"
import { recordOptions } from "../activity-options.ts"
import { childSignal } from "../messages/messages.ts"
import { type SessionContext, showDetails } from "../agent/session-context.ts"

const record = proxyLocalActivities<DelegationActivities>(recordOptions)

const bound = proxyLocalActivities<BindingActivities>(recordOptions)

const shownOptions = (context: SessionContext, child: PreparedChild) => {
  const session: ShownSession = { ...child, parentId: context.state.sessionId }
  const typedSearchAttributes = searchAttributesOf(session).map(({ name, value }) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  }))
  return {
    memo: memoOf(session),
    staticSummary: summaryOf(session),
    ...(context.hasSearchAttributes ? { typedSearchAttributes } : {}),
  }
}

const inputOf = (context: SessionContext, child: PreparedChild): LlmAgentInput => ({
  session_id: child.id,
  run: child.run,
  message: child.message,
  has_search_attributes: context.hasSearchAttributes,
  parent_session_id: context.state.sessionId,
  ...(context.state.hostQueue === null ? {} : { host_queue: context.state.hostQueue }),
})

const remember = (context: SessionContext, child: PreparedChild, use: ChildUse): ChildState => {
  const { run } = context.state
  const known = run.children.find(({ id }) => id === child.id)
  const state: ChildState = {
    id: child.id,
    ordinal: known?.ordinal ?? run.children.length + 1,
    label: child.label,
    agent: child.agent,
    use,
    runId: child.run.run_id,
    status: "running",
    stopReason: null,
    reserved: child.reserved,
    ...(child.usedBefore === undefined ? {} : { usedBefore: child.usedBefore }),
    isReported: false,
    isSilent: false,
  }
  if (known === undefined) run.children.push(state)
  else run.children = run.children.map((other) => (other === known ? state : other))
  emit(run, "child-started", {
    child_session_id: child.id,
    child_run_id: child.run.run_id,
    agent: child.agent,
    label: child.label,
  })
  return state
}

const engineEnd = (error: unknown): SettleChildInput["engine"] => {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error
  if (cause instanceof TerminatedFailure) return "terminated"
  if (cause instanceof CancelledFailure) return "cancelled"
  return cause instanceof TimeoutFailure ? "timed_out" : "failed"
}

const settle = async (
  context: SessionContext,
  child: ChildState,
  engine: SettleChildInput["engine"],
): Promise<void> => {
  const { run } = context.state
  const { usedBefore } = child
  const settled = await record.settleChild({
    childId: child.id,
    runId: child.runId,
    engine,
    ...(usedBefore === undefined ? {} : { usedBefore }),
  })
  child.status = "ended"
  child.stopReason = settled.stopReason
  child.isSilent ||= settled.isSilent
  child.usedBefore = settled.usedSoFar
  run.childrenUsage = addUsage(run.childrenUsage, settled.usage)
  emit(run, "child-finished", {
    child_session_id: child.id,
    child_run_id: child.runId,
    stop_reason: settled.stopReason,
  })
  showDetails(context)
}

const watch = (context: SessionContext, child: ChildState, handle: ChildWorkflowHandle<Workflow>): void => {
  const ended = handle
    .result()
    .then(
      () => settle(context, child, "completed"),
      (error: unknown) => settle(context, child, engineEnd(error)),
    )
    // A cancel of the run reaches the settling, too; the record is finished when the run closes.
    .catch(() => {
      child.status = "ended"
      child.stopReason ??= "cancelled"
    })
  context.childEnds.set(child.id, ended)
}

/** Records that a child's run has ended, where the engine does not tell of it. */
export const settleChildRun = (context: SessionContext, child: ChildState): void => {
  const ended = settle(context, child, "completed").catch(() => {
    child.status = "ended"
  })
  context.childEnds.set(child.id, ended)
}

/** A session that outlives this run and its execution: the engine knows it as nobody's child. */
const startOpenSession = async (context: SessionContext, child: PreparedChild): Promise<ChildState> => {
  const { state, hasSearchAttributes } = context
  // It may have ended before its start is known here.
  state.openSessions = [...new Set([...state.openSessions, child.id])]
  context.childEnds.delete(child.id)
  const known = remember(context, child, "session")
  await bound.startOpenSession({
    child,
    taskQueue: workflowInfo().taskQueue,
    parentSessionId: state.sessionId,
    hasSearchAttributes,
    hostQueue: state.hostQueue,
  })
  return known
}

/** Starts a child whose rows are written, or another run of one that had ended. */
export const startChildSession = async (
  context: SessionContext,
  prepared: PreparedChild,
  use: ChildUse,
): Promise<ChildState> => {
  if (use === "session") return startOpenSession(context, prepared)
  const handle = await startChild(prepared.workflowType, {
    workflowId: sessionWorkflowId(prepared.id),
    args: [inputOf(context, prepared)],
    taskQueue: workflowInfo().taskQueue,
    workflowTaskTimeout: workflowTaskTimeoutMs,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: "WAIT_CANCELLATION_COMPLETED",
    workflowIdReusePolicy: "ALLOW_DUPLICATE",
    ...shownOptions(context, prepared),
  })
  const child = remember(context, prepared, use)
  watch(context, child, handle)
  return child
}

const requestCancel = async (sessionId: string): Promise<void> => {
  await getExternalWorkflowHandle(sessionWorkflowId(sessionId))
    .cancel()
    .catch(() => undefined)
}

/** Everything below stops with the run; resolves when it has. Sessions that stay open stop only where this one was cancelled. */
export const stopChildren = async (context: SessionContext, wasCancelled: boolean): Promise<void> => {
  const { state } = context
  const open = state.run.children.filter((child) => isActive(child) && child.use !== "session")
  for (const child of open) {
    child.isSilent = true
    await requestCancel(child.id)
  }
  if (wasCancelled) for (const sessionId of state.openSessions) await requestCancel(sessionId)
  await Promise.all(open.map((child) => context.childEnds.get(child.id) ?? Promise.resolve()))
}

/** Tells the parent's workflow that this session waits for a person, or goes on. */
export const tellParent = (context: SessionContext, status: "paused" | "running"): void => {
  const { parentSessionId } = context
  if (parentSessionId === null) return
  void getExternalWorkflowHandle(sessionWorkflowId(parentSessionId))
    .signal(childSignal, { id: context.state.sessionId, status })
    .catch(() => undefined)
}
