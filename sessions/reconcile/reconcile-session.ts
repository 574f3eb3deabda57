import type { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { missingVerdict } from "../../domain/engine/missing-sessions.ts"
import { sessionMissing, sessionsMissing } from "../../domain/engine/missing-session-errors.ts"
import type { SessionRow } from "../../store/store.ts"
import { observeWithRetries } from "../engine/observe-session.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { callEngine } from "../../engine/call-engine.ts"
import { createAnnouncer } from "../delivery/announcer.ts"
import { announceOutcome } from "../delivery/announce-outcome.ts"
import { recordMissedOutcome } from "../outcome/record-missed-outcome.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import { withShortDeadline } from "../../engine/describe-execution.ts"
import { isTemporalUnavailable } from "../../engine/translate-temporal-error.ts"

/** Notes that the engine does not know a run. Returns the error for a waiting caller; undefined if the run now counts as lost. */
const missingProblem = async (
  { store, timing }: SessionsContext,
  row: SessionRow,
  run: { readonly claimId: string; readonly runId: string },
): Promise<AdjutantError | undefined> => {
  const sighting = await store.missing.note(row.id, run)
  const count = await store.missing.count(run.claimId)
  const confirmMs = timing.missingConfirmMs
  switch (missingVerdict({ sighting, nowMs: Date.now(), confirmMs, count })) {
    case "unconfirmed":
      return sessionMissing(row.id, confirmMs)
    case "too_many":
      return sessionsMissing(count)
    case "lost":
      return undefined
  }
}

const announcementOf = (context: SessionsContext, row: SessionRow, runId: string) => {
  const announcer = createAnnouncer(context.store, context.temporalUrl)
  const request = <T>(call: () => Promise<T>): Promise<T> => callEngine(context, call)
  return () => announceOutcome({ ...context, announcer, request }, row, runId)
}

export interface Reconciled {
  /** The row after the comparison. */
  readonly row: SessionRow
  /** Set if the engine does not know the session, but the session does not count as lost yet. */
  readonly problem?: AdjutantError
}

/**
 * Compares an open row with the engine, and records the outcome if the execution has ended. If another engine than the store's own answers, nothing
 * is recorded. A session that the engine does not know is recorded as lost only if it is still unknown at a later comparison.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const reconcileSession = async (context: SessionsContext, row: SessionRow): Promise<Reconciled> => {
  // A session without a run has no execution.
  if (isFinal(row.status) || row.runId === null) return { row }
  const { store } = context
  const observed = await observeWithRetries(context, row)
  if (observed.engine === null) return { row: observed.row }
  const { row: current, engine, missing } = observed
  if (engine === "running") await store.missing.clear(row.id, row.runId)
  if (missing === undefined || current.runId === null) {
    const isDoubtful = engine === "not_found" && current.status !== "pending"
    return { row: current, ...(isDoubtful ? { problem: sessionMissing(row.id, context.timing.missingConfirmMs) } : {}) }
  }
  // Verify the engine after its answer: a check before it would not notice a server that was replaced in between.
  const { claimId } = await context.engine.verify()
  if (engine === "not_found") {
    const problem = await missingProblem(context, current, { claimId, runId: current.runId })
    if (problem !== undefined) return { row: current, problem }
  }
  await recordMissedOutcome(store, current, missing, announcementOf(context, current, current.runId))
  context.tracer?.trace(current.id, current.runId)
  return { row: (await store.sessions.get(row.id)) ?? current }
}

/** A row after asking the engine. `away` is the error while the engine cannot tell: then the row is as it is recorded. */
export interface RefreshedRow {
  readonly row: SessionRow
  readonly away?: AdjutantError
}

/** Asks the engine for a caller that waits, and records an outcome that is missing. */
export const tryRefresh = async (context: SessionsContext, row: SessionRow): Promise<RefreshedRow> => {
  if (isFinal(row.status)) return { row }
  try {
    const { row: current, problem } = await reconcileSession(withShortDeadline(context), row)
    return { row: current, ...(problem === undefined ? {} : { away: problem }) }
  } catch (error) {
    if (!isTemporalUnavailable(error) && !isEngineMismatch(error)) throw error
    return { row, away: error }
  }
}

/** Returns what the store has, with a missed outcome recorded. */
export const refreshSession = async (context: SessionsContext, row: SessionRow): Promise<SessionRow> => {
  const refreshed = await tryRefresh(context, row)
  if (refreshed.away !== undefined)
    context.logger.warn(
      { session_id: row.id, error: refreshed.away },
      "Temporal cannot tell about a session: showing what the store has",
    )
  return refreshed.row
}
