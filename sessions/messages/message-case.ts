import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { PauseRow, RunRow, SessionRow } from "../../store/store.ts"
import { reconcileSession } from "../reconcile/reconcile-session.ts"
import { requireRun } from "../rows/require-session.ts"
import { requireDirectory } from "../rows/session-place.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { latestSnapshot } from "../settings/resolve-follow-up.ts"
import { runIdFor } from "../session-id.ts"

/** The session has no run: the message starts its first one. */
export interface FirstRun {
  readonly kind: "first_run"
  readonly row: SessionRow
}

/** The latest run has ended: the message starts the next one. */
export interface NextRun {
  readonly kind: "next_run"
  readonly row: SessionRow
  /** The id under which the message was sent already, to the run that has ended. */
  readonly messageId?: string
}

/** A run is open: the message answers its question, steers it, or waits for its end. */
export interface OpenRun {
  readonly kind: "open_run"
  readonly row: SessionRow
  readonly pause: PauseRow | undefined
  /** The id under which the message may have started this run. */
  readonly messageId?: string
}

/** The run ended while the message was on its way: the run has read it or not. */
export interface LateMessage {
  readonly kind: "late_message"
  /** The session before. */
  readonly row: SessionRow
  readonly message: SessionMessage
  readonly effect: Sent["effect"]
}

/** What a message meets in its session. Each case is handled by a function of its own, which returns another case if the session has changed meanwhile. */
export type MessageCase = FirstRun | NextRun | OpenRun | LateMessage

export const asksForInput = (pause: PauseRow | undefined): pause is PauseRow => pause?.type === "input_required"

/** Requires a message that may start a run; steering may not. @throws AdjutantError `session_not_running` */
export const requireStarter = ({ id }: Pick<SessionRow, "id">, { type }: SendRequest): void => {
  if (type === "steering")
    throw new AdjutantError("session_not_running", `session ${id} has no active run: send it a message to start one`)
}

/** Returns the refusal of a plain message to a run that has not asked for one. */
export const alreadyRunning = ({ id }: SessionRow, pause: PauseRow | undefined): AdjutantError =>
  new AdjutantError(
    "session_already_running",
    pause === undefined
      ? `session ${id} is running: steer it or queue a follow-up`
      : `session ${id} is waiting for decisions on tool calls: approve or reject them, steer it or queue a follow-up`,
  )

/** Returns the run that an earlier attempt of the same request has written; while it is pending, its start may have failed. */
const runOfEarlierAttempt = async ({ store }: SessionsContext, request: SendRequest): Promise<RunRow | undefined> => {
  if (request.messageId === undefined) return undefined
  const run = await store.runs.get(runIdFor(request))
  return run?.sessionId === request.sessionId ? run : undefined
}

/** Refuses texts for a command in the background: no model reads them, and the shell would run each as one more line. */
const requireReader = async (context: SessionsContext, row: SessionRow): Promise<void> => {
  // Only sessions without a model can be commands.
  if (row.runId === null || row.model !== "none") return
  const { execution } = await latestSnapshot(context, row)
  if (execution.type === "command")
    throw new AdjutantError(
      "invalid_argument",
      `task ${row.id} is a command, which reads no messages: decide its call, cancel it, or start another with run_command_task`,
    )
}

/**
 * Returns the case of a plain message to an open run that has not asked for one: it is refused, unless the run has ended in the engine, which the
 * store does not have yet.
 * @throws AdjutantError `session_already_running checkpoint_stale session_missing temporal_unavailable engine_mismatch`
 */
const caseOfUnasked = async (
  context: SessionsContext,
  request: SendRequest,
  { row, pause }: Pick<OpenRun, "row" | "pause">,
): Promise<NextRun> => {
  const { row: current, problem } = await reconcileSession(context, row)
  if (problem !== undefined) throw problem
  if (isFinal(current.status)) return { kind: "next_run", row: current }
  requireCheckpoint(request, pause)
  throw alreadyRunning(row, pause)
}

const requireCheckpoint = (request: SendRequest, pause: PauseRow | undefined): void => {
  if (request.checkpointId !== undefined && request.checkpointId !== pause?.checkpointId)
    throw staleCheckpoint(request.checkpointId, request.sessionId)
}

/**
 * Returns the case of a message; the answer, if an earlier attempt of the same request has started a run.
 * @throws AdjutantError `run_mismatch invalid_argument checkpoint_stale session_already_running session_missing temporal_unavailable engine_mismatch`
 */
export const caseOfMessage = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<MessageCase | Sent> => {
  const earlier = await runOfEarlierAttempt(context, request)
  if (earlier !== undefined && earlier.status !== "pending") return { state: "accepted", runId: earlier.runId }
  requireRun(row, request.runId)
  await requireReader(context, row)
  await requireDirectory(context, row)
  if (row.runId === null) return { kind: "first_run", row }
  if (isFinal(row.status)) return { kind: "next_run", row }
  const pause = await context.store.pauses.current(row.id)
  const isAsked = request.type !== "message" || asksForInput(pause) || earlier?.runId === row.runId
  if (!isAsked) return await caseOfUnasked(context, request, { row, pause })
  requireCheckpoint(request, pause)
  return { kind: "open_run", row, pause }
}
