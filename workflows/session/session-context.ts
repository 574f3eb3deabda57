import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common"
import { setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow"
import type { Outbox } from "../../activities/contract/agent-activities.ts"
import type { OpenedRun } from "../../activities/contract/opened-run.ts"
import { operatorDetails } from "../../domain/operator/operator-details.ts"
import type { SessionState } from "../../domain/session/session-state.ts"
import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import type { SessionStatusAnswer } from "../../domain/session/session-message.ts"
import type { RunClock } from "./run-clock.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const agentStatus = defineSearchAttributeKey("AgentStatus", SearchAttributeType.KEYWORD)

/** One session's workflow in memory: its plain state, and what exists only while this execution runs. */
export interface SessionContext {
  readonly state: SessionState
  readonly hasSearchAttributes: boolean
  status: SessionStatusAnswer["status"]
  settings: OpenedRun | null
  clock: RunClock | null
  /** The session whose workflow started this one. */
  readonly parentSessionId: string | null
  /** Resolve when a child has ended and that is recorded. */
  readonly childEnds: Map<string, Promise<void>>
  /** What this execution was started with; carried over at continue-as-new. */
  readonly input: LlmAgentInput
  /** Ordinary tool calls that run just now. */
  toolsRunning: number
  /** Calls that wait for a worker of the session's machine. */
  machineWaits: number
  /** The machines for which the store shows that the session waits. */
  missingMachines: { readonly since: string; readonly machines: string[] } | null
  /** The session only waits, for children none of which works: that is shown, and its clock is stopped. */
  isBlocked: boolean
  /** The run whose calls were asked to stop. */
  stoppedRun: string | null
  /** Reports to the parent that Temporal has not accepted yet. */
  openReports: number
  /** Why the last run ended otherwise than completed. */
  endCause?: string | null
  /** The session's thread was bound, unbound or given another expiry. */
  bindingChanged: boolean
}

/** Returns true if the run has no model: it is one call of a program, an MCP tool or a command. */
export const isOneCall = ({ settings }: Pick<SessionContext, "settings">): boolean =>
  settings !== null && settings.type !== "llm"

/** Shows a status where operators look: the search attribute and the details. */
export const showStatus = (context: SessionContext, status: SessionStatusAnswer["status"]): void => {
  if (context.status !== status && context.hasSearchAttributes)
    upsertSearchAttributes([{ key: agentStatus, value: status }])
  context.status = status
  showDetails(context)
}

export const showDetails = (context: SessionContext): void => {
  if (context.clock !== null) context.state.run.ranMs = context.clock.ranMs()
  setCurrentDetails(operatorDetails(context.state, context.status, context.endCause))
}

const maxWarningCharacters = 500

/** Shows a warning to operators, for example that a message was not valid and is ignored. */
export const warn = (context: SessionContext, warning: string): void => {
  context.state.warnings = [...context.state.warnings.slice(-4), startOf(warning, maxWarningCharacters)]
  showDetails(context)
}

/**
 * Sends what the next activity has to write to the store; a retry of the activity writes it again, which changes nothing. What an activity did not
 * confirm goes with the next one: it may never have begun.
 */
export const withOutbox = async <T>(state: SessionState, send: (outbox: Outbox) => Promise<T>): Promise<T> => {
  const outbox = takeOutbox(state)
  try {
    return await send(outbox)
  } catch (error) {
    putBack(state, outbox)
    throw error
  }
}

const putBack = (state: SessionState, { events, closedCheckpoint, leftQueue }: Outbox): void => {
  const { run } = state
  run.outbox = [...events, ...run.outbox]
  run.closedCheckpoint ??= closedCheckpoint ?? null
  if (leftQueue === true) state.slot = { ...state.slot, rowIsPending: true }
}

const takeOutbox = (state: SessionState): Outbox => {
  const { run } = state
  const events = run.outbox
  const closedCheckpoint = run.closedCheckpoint
  run.outbox = []
  run.closedCheckpoint = null
  const leftQueue = state.slot.rowIsPending && state.slot.at === "held"
  if (leftQueue) state.slot = { ...state.slot, rowIsPending: false }
  return {
    events,
    ...(closedCheckpoint === null ? {} : { closedCheckpoint }),
    ...(leftQueue ? { leftQueue } : {}),
  }
}
