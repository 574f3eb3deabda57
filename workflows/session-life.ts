import { ApplicationFailure } from "@temporalio/workflow"
import type { LlmAgentInput } from "../domain/agent-input.ts"
import { queuedRunId } from "../domain/session-message.ts"
import { newRun, type SessionState, toWaitingText } from "../domain/session-state.ts"
import { noSlot } from "../domain/slot-state.ts"
import { conductRun, type RunEnd, type RunWork } from "./conduct-run.ts"
import type { SessionContext } from "./session-context.ts"
import { registerHandlers } from "./session-handlers.ts"
import { registerQueries } from "./session-queries.ts"
import { reportRun, stayOpen } from "./stay-open.ts"

/** What a state that crossed over from an older version of this code lacks. */
const laterFields = (): Pick<SessionState, "pastCheckpoints" | "early" | "auditedSignals" | "hasTypedUpdates"> => ({
  pastCheckpoints: [],
  early: [],
  auditedSignals: 0,
  hasTypedUpdates: false,
})

const startState = (input: LlmAgentInput): SessionState => ({
  sessionId: input.session_id,
  headSeq: 0,
  run: newRun(input.run),
  waiting: [toWaitingText(input.message)],
  followUps: [],
  decisionIds: [],
  messageIds: [input.message.id],
  ...laterFields(),
  announcedSteering: [],
  modelOverride: null,
  hostQueue: input.host_queue ?? null,
  operatorSignals: 0,
  warnings: [],
  slot: noSlot,
  reports: [],
  openSessions: [],
})

/** A message that came too late for the run that just ended starts the next one; nothing is awaited between this look and the return. */
const beginNextRun = (context: SessionContext): boolean => {
  const { state } = context
  const followUp = state.followUps.shift()
  const late = followUp === undefined ? state.waiting.shift() : undefined
  const text = followUp === undefined ? late : toWaitingText(followUp)
  if (text === undefined) return false
  const { opened, followsHash, reference } = state.run
  // A run whose settings could not be read is nothing to go by.
  const snapshot_hash = opened ? reference.snapshot_hash : (followsHash ?? reference.snapshot_hash)
  const named = followUp?.new_run
  // Limits that were named include the model; only a choice that came after them counts more.
  if (named !== undefined && followUp?.model_before === state.modelOverride) state.modelOverride = null
  state.run = newRun(named ?? { run_id: queuedRunId({ id: text.inboxId }), snapshot_hash }, snapshot_hash)
  state.waiting.unshift(text)
  return true
}

const failureOf = (end: RunEnd): ApplicationFailure =>
  ApplicationFailure.create({
    type: end.stopReason,
    message: end.error?.message ?? `the run ended: ${end.stopReason}`,
    nonRetryable: true,
  })

/**
 * A session's life, whatever executes its runs: runs follow one another until no message waits. Completes when the last run completed, and fails
 * with the stop reason as the failure's type when it did not.
 */
export const liveSession = async (input: LlmAgentInput, work: RunWork): Promise<void> => {
  const context: SessionContext = {
    state: input.carried === undefined ? startState(input) : { ...laterFields(), ...input.carried },
    hasSearchAttributes: input.has_search_attributes,
    status: "running",
    settings: null,
    clock: null,
    parentSessionId: input.parent_session_id ?? null,
    childEnds: new Map(),
    input,
    toolsRunning: 0,
    bindingChanged: false,
  }
  registerHandlers(context)
  registerQueries(context)
  for (;;) {
    const end = await conductRun(context, work)
    if (input.stay_open === true) await reportRun(context)
    if (end.cancelled !== undefined) throw end.cancelled
    if (beginNextRun(context)) continue
    if (input.stay_open === true) {
      await stayOpen(context)
      if (beginNextRun(context)) continue
    }
    if (end.stopReason === "completed") return
    throw failureOf(end)
  }
}
