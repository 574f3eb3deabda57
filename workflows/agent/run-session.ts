import { ApplicationFailure, CancellationScope, workflowInfo } from "@temporalio/workflow"
import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import { queuedRunId } from "../../domain/session/session-message.ts"
import {
  limitApproval,
  newRun,
  type RunState,
  type SessionState,
  toWaitingText,
  type WaitingText,
} from "../../domain/session/session-state.ts"
import { noSlot } from "../../domain/lane/slot-state.ts"
import { withoutStack } from "../../domain/text/without-stack.ts"
import { continueSessionAsNew } from "../session/continue-as-new.ts"
import { executeRun } from "./execute-run.ts"
import { noSignalsByHand } from "../../domain/session/signals-by-hand.ts"
import { nextShare } from "../session/remaining-budget.ts"
import type { RunEnd } from "../session/run-end.ts"
import type { SessionContext } from "../session/session-context.ts"
import { showMissedEnds, childrenToTakeOver, waitWithPassedChildren } from "../children/pass-children.ts"
import { registerQueries } from "../handlers/session-queries.ts"
import { registerSignals } from "../handlers/signal-handlers.ts"
import { registerUpdates } from "../handlers/update-handlers.ts"
import { reportRun, waitInThread } from "./wait-in-thread.ts"

const firstRun = ({ run: reference, message, share }: LlmAgentInput): RunState => {
  const run: RunState = { ...newRun(reference), ...(share === undefined ? {} : { shareLeft: share }) }
  limitApproval(run, message.approval)
  return run
}

/** Programs store a text before they send it. One that somebody typed into the start of a workflow would count as a program's. */
const startText = ({ message: { id, source } }: LlmAgentInput): WaitingText => ({ inboxId: id, source })

const startState = (input: LlmAgentInput): SessionState => ({
  sessionId: input.session_id,
  headSeq: 0,
  run: firstRun(input),
  waiting: [startText(input)],
  followUps: [],
  decisionIds: [],
  messageIds: [input.message.id],
  pastCheckpoints: [],
  early: [],
  announcedSteering: [],
  modelOverride: null,
  operatorSignals: 0,
  signalsByHand: noSignalsByHand,
  auditedSignals: 0,
  hasUpdatesByHand: false,
  unattributed: [],
  unsigned: [],
  unverified: [],
  warnings: [],
  slot: noSlot,
  reports: [],
  openSessions: [],
  earlyReports: [],
})

/** Returns the state that the execution before has passed on: it says what was decided and asked, so that nobody else may give it. */
const carriedState = (carried: SessionState): SessionState => {
  const { continuedFromExecutionRunId, cronSchedule, retryPolicy } = workflowInfo()
  // What Temporal starts again by itself has the input of whoever started it.
  const isStartedAgain = (cronSchedule ?? "") !== "" || retryPolicy !== undefined
  if (continuedFromExecutionRunId !== undefined && !isStartedAgain) return carried
  const message = "only an execution that continues as new passes on the state of a session"
  throw withoutStack(ApplicationFailure.create({ type: "forbidden", message, nonRetryable: true }))
}

/** A message that came too late for the run that just ended starts the next one; nothing is awaited between this look and the return. */
const startNextRun = (context: SessionContext): boolean => {
  const { state } = context
  const followUp = state.followUps.shift()
  // After a run whose settings could not be read, the next one for the waiting message would fail for the same reason, endlessly.
  const late = followUp === undefined && state.run.opened ? state.waiting.shift() : undefined
  const text = followUp === undefined ? late : toWaitingText(followUp)
  if (text === undefined) return false
  const { opened, followsHash, reference, narrowedApproval } = state.run
  // The run was never opened: the settings of the run before it apply.
  const snapshot_hash = opened ? reference.snapshot_hash : (followsHash ?? reference.snapshot_hash)
  const named = followUp?.new_run
  // Limits that were named include the model; only a choice that came after them counts more.
  if (named !== undefined && followUp?.model_before === state.modelOverride) state.modelOverride = null
  const next = named ?? { run_id: queuedRunId({ id: text.inboxId }), snapshot_hash }
  state.run = { ...newRun(next, snapshot_hash), ...nextShare(context), ...childrenToTakeOver(context) }
  showMissedEnds(state.run)
  // What the run before had not yet adopted comes with the texts that are still to be read.
  limitApproval(state.run, narrowedApproval)
  limitApproval(state.run, followUp?.approval)
  state.waiting.unshift(text)
  return true
}

/**
 * A cancel discards what was queued, but not what was sent after the run had ended: that starts the next run. Since this execution stays cancelled,
 * a new one continues. A parent waits for the executions that it cancelled: no child starts another one under it.
 */
const continueAfterCancel = async (context: SessionContext): Promise<void> => {
  const { state, parentSessionId } = context
  const first = state.followUps.findIndex(({ after_run }) => after_run === state.run.reference.run_id)
  if (first === -1 || parentSessionId !== null) return
  state.followUps = state.followUps.slice(first)
  state.waiting = []
  startNextRun(context)
  await CancellationScope.nonCancellable(() => continueSessionAsNew(context))
}

const failureOf = (end: RunEnd): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: end.stopReason,
      message: end.error?.message ?? `the run ended: ${end.stopReason}`,
      nonRetryable: true,
    }),
  )

/** What an operator sees as the result of a session's workflow; one that did not complete fails. */
interface SessionResult {
  readonly session_id: string
  readonly status: "completed"
}

/**
 * Executes a session of any execution type: runs follow one another until no message waits. Completes when the last run completed, and fails
 * with the stop reason as the failure's type when it did not.
 */
const runSession = async (input: LlmAgentInput): Promise<SessionResult> => {
  const context: SessionContext = {
    state: {
      ...(input.carried === undefined ? startState(input) : carriedState(input.carried)),
      signalsByHand: noSignalsByHand,
    },
    hasSearchAttributes: input.has_search_attributes,
    status: "running",
    settings: null,
    clock: null,
    parentSessionId: input.parent_session_id ?? null,
    childEnds: new Map(),
    input,
    toolsRunning: 0,
    machineWaits: 0,
    missingMachines: null,
    isBlocked: false,
    stoppedRun: null,
    openReports: 0,
    bindingChanged: false,
  }
  // Handlers only check and enqueue: they never await.
  registerSignals(context)
  registerUpdates(context)
  registerQueries(context)
  // Never spins: every run is closed in the store, and a run whose settings cannot be read is not started again.
  for (;;) {
    const end = await executeRun(context)
    if (input.stay_open === true) await reportRun(context)
    if (end.cancelled !== undefined) {
      await continueAfterCancel(context)
      throw end.cancelled
    }
    if (startNextRun(context)) continue
    await waitWithPassedChildren(context)
    if (startNextRun(context)) continue
    if (input.stay_open === true) {
      await waitInThread(context)
      if (startNextRun(context)) continue
    }
    if (end.stopReason === "completed") return { session_id: context.state.sessionId, status: "completed" }
    throw failureOf(end)
  }
}

/** Runs a sub-agent whose runs are turns of a model and the tool calls that it proposes. */
export async function llmAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}

/** Runs a sub-agent whose runs are executions of a program: each proposes one call, and takes the same steps as a run with a model. */
export async function binaryAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}

/** Runs a sub-agent whose runs are calls of one tool of an MCP server, in the same steps. */
export async function mcpBridgeAgent(input: LlmAgentInput): Promise<SessionResult> {
  return await runSession(input)
}
