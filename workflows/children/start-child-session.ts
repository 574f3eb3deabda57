import { defineSearchAttributeKey, SearchAttributeType, WorkflowExecutionAlreadyStartedError } from "@temporalio/common"
import {
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  sleep,
  startChild,
  TemporalFailure,
  type Workflow,
  workflowInfo,
} from "@temporalio/workflow"
import type { PreparedChild } from "../../activities/contract/delegation-activities.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { memoOf, searchAttributesOf, type ShownSession, executionSummary } from "../../domain/engine/shown-session.ts"
import { type ChildState, type ChildUse, withoutOldChildren } from "../../domain/limits/child-state.ts"
import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import { emit } from "../../domain/session/session-state.ts"
import { remainingBudget } from "../session/remaining-budget.ts"
import type { SessionContext } from "../session/session-context.ts"
import { storeActivities } from "../store-activities.ts"
import { removeEarlyReport } from "./child-reports.ts"
import { settleWhenEnded } from "./settle-child.ts"

const shownOptions = (context: SessionContext, child: PreparedChild) => {
  const session: ShownSession = { ...child, parentId: context.state.sessionId }
  const typedSearchAttributes = searchAttributesOf(session).map(({ name, value }) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  }))
  return {
    memo: memoOf(session),
    staticSummary: executionSummary(session),
    ...(context.hasSearchAttributes ? { typedSearchAttributes } : {}),
  }
}

/**
 * Returns the child's share of this run's budget, if the run has one. It is fixed now, because a later message starts another run of the child without
 * asking this workflow.
 */
const shareOf = (context: SessionContext, { reserved }: PreparedChild): Pick<LlmAgentInput, "share"> => {
  const left = remainingBudget(context)
  const share = {
    microUsd: left.microUsd === null ? null : reserved.microUsd,
    tokens: left.tokens === null ? null : reserved.tokens,
  }
  return share.microUsd === null && share.tokens === null ? {} : { share }
}

const childInput = (context: SessionContext, child: PreparedChild): LlmAgentInput => ({
  session_id: child.id,
  run: child.run,
  message: child.message,
  has_search_attributes: context.hasSearchAttributes,
  parent_session_id: context.state.sessionId,
  ...shareOf(context, child),
})

const addChild = (context: SessionContext, child: PreparedChild, use: ChildUse): ChildState => {
  const { run } = context.state
  const known = run.children.find(({ id }) => id === child.id)
  const state: ChildState = {
    id: child.id,
    ordinal: known?.ordinal ?? child.number,
    label: child.label,
    agent: child.agent,
    use,
    runId: child.run.run_id,
    ...removeEarlyReport(context.state, { id: child.id, runId: child.run.run_id }),
    stopReason: null,
    reserved: child.reserved,
    ...(child.usedBefore === undefined ? {} : { usedBefore: child.usedBefore }),
    isReported: false,
    isSilent: false,
  }
  if (known === undefined) run.children = [...withoutOldChildren(run.children), state]
  else run.children = run.children.map((other) => (other === known ? state : other))
  emit(run, "child-started", {
    child_session_id: child.id,
    child_run_id: child.run.run_id,
    agent: child.agent,
    label: child.label,
  })
  return state
}

/** Starts a session that outlives this run and its execution. Temporal does not know it as a child, so it reports by signal. */
const startOpenSession = async (context: SessionContext, child: PreparedChild): Promise<ChildState> => {
  const { state, hasSearchAttributes } = context
  // Noted before the start: the session may end before this workflow knows that it has started.
  state.openSessions = [...new Set([...state.openSessions, child.id])]
  context.childEnds.delete(child.id)
  const known = addChild(context, child, "session")
  await storeActivities.startOpenSession({
    child,
    taskQueue: workflowInfo().taskQueue,
    parentSessionId: state.sessionId,
    hasSearchAttributes,
  })
  return known
}

const optionsOf = (context: SessionContext, prepared: PreparedChild) => ({
  workflowId: sessionWorkflowId(prepared.id),
  args: [childInput(context, prepared)],
  taskQueue: workflowInfo().taskQueue,
  workflowTaskTimeout: workflowInfo().taskTimeoutMs,
  parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  cancellationType: "WAIT_CANCELLATION_COMPLETED" as const,
  workflowIdReusePolicy: "ALLOW_DUPLICATE" as const,
  ...shownOptions(context, prepared),
})

/** The result of a start that Temporal refused. */
export interface RefusedStart {
  readonly problem: string
}

/** How long to wait before each further try: an execution that has just recorded its outcome is still open for a moment. */
const retryAfterMs = [100, 500, 2_000]

/** Starts the child's workflow. Whatever the engine refuses is returned: the model is told, and the run continues. */
const startWorkflow = async (
  context: SessionContext,
  prepared: PreparedChild,
): Promise<ChildWorkflowHandle<Workflow> | RefusedStart> => {
  for (const waitMs of [...retryAfterMs, undefined]) {
    try {
      return await startChild(prepared.workflowType, optionsOf(context, prepared))
    } catch (error) {
      if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) return { problem: error.message }
      if (waitMs !== undefined) await sleep(waitMs)
    }
  }
  return {
    problem: `session ${prepared.id} is still open in Temporal and belongs to no run of yours: wait until it has ended, or start another sub-agent`,
  }
}

/** Starts a child whose rows are written, or another run of one that had ended. */
export const startChildSession = async (
  context: SessionContext,
  prepared: PreparedChild,
  use: ChildUse,
): Promise<ChildState | RefusedStart> => {
  if (use === "session") return startOpenSession(context, prepared)
  const handle = await startWorkflow(context, prepared)
  if ("problem" in handle) return handle
  const child = addChild(context, prepared, use)
  settleWhenEnded(context, child, handle)
  return child
}
