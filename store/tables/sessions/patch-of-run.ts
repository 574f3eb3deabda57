import type { Selectable } from "kysely"
import type { Status } from "../../../contracts/status.ts"
import type { Clock, Writer } from "../../database/database.ts"
import { toIso } from "../../columns/iso-time.ts"
import { runFinishedOrdinal } from "../../../domain/run/run-event-ordinals.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { lockSession } from "./lock-session.ts"
import { runNumber } from "./run-number.ts"
import { type RunPatch, runTable } from "../../schema/run-table.ts"
import { type SessionPatch, sessionTable } from "../../schema/session-table.ts"

export const terminalStatuses = ["completed", "failed", "cancelled", "timed_out"] as const

/** Returns the time at which a patch ends a run; undefined where it does not. */
export const runEndTime = ({ status, finishedAt }: RunPatch, now: Clock): RunPatch["finishedAt"] =>
  finishedAt ?? (terminalStatuses.some((final) => final === status) ? toIso(now()) : undefined)

export interface PatchOfRun {
  readonly sessionId: string
  readonly runId: string
  readonly run?: RunPatch
  /** For the session's row, if that shows this run. */
  readonly session?: SessionPatch
  /** The run must have one of these statuses. Default: any that is not final. */
  readonly from?: readonly Status[]
  /** The run that the session's row must show instead; null: none. */
  readonly shown?: string | null
  /** The row becomes that of the run, whatever it shows. */
  readonly takesOver?: true
  /** When the patch was asked for, in milliseconds since 1970. */
  readonly since?: number | undefined
}

/** Forgets how a run has ended that continues after a reset: its next end is another one, with an event of its own. */
const reopen = async (db: Writer, runNum: number): Promise<void> => {
  const open = { stop_reason: null, final_message: null, error: null, finished_at: null }
  await db
    .updateTable("runs")
    .set((eb) => ({ ...open, reopened: eb("reopened", "+", 1) }))
    .where("run_num", "=", runNum)
    .execute()
  await db
    .updateTable("events")
    .set({ ordinal: null })
    .where("run_num", "=", runNum)
    .where("ordinal", "=", runFinishedOrdinal)
    .execute()
}

const outcomeColumns = ["status", "stop_reason", "final_message", "steps_taken"] as const

/** Whether the patch ends a run as it has ended already: its record is repeated, by a later activity if the answer of the first one was lost. */
const isRepeated = (
  found: Pick<Selectable<DatabaseSchema["runs"]>, (typeof outcomeColumns)[number]>,
  run: RunPatch,
): boolean => {
  const values = runTable.changedBy(run)
  return outcomeColumns.every((column) => found[column] === values[column])
}

/** Whether the run is open for the patch; one that has ended before the patch was asked for was reset, and is opened again. */
const isOpenFor = async (db: Writer, runNum: number, { run, from, since }: PatchOfRun): Promise<boolean> => {
  const found = await db
    .selectFrom("runs")
    .select([...outcomeColumns, "finished_at"])
    .where("run_num", "=", runNum)
    .executeTakeFirst()
  if (found === undefined) return false
  const { status, finished_at: endedAt } = found
  if (!terminalStatuses.some((final) => final === status))
    return from === undefined || from.some((one) => one === status)
  if (since === undefined || endedAt === null || endedAt >= since || run?.status === undefined) return false
  if (isRepeated(found, run)) return false
  await reopen(db, runNum)
  return true
}

/**
 * Patches a run that is not final, and with it the row of its session as long as that shows this run: what comes late changes nothing. Returns whether
 * both were patched.
 */
export const patchOfRun = async (db: Writer, patch: PatchOfRun, now: Clock): Promise<boolean> => {
  const { sessionId, runId, run = {}, session, shown = runId } = patch
  const sessionNum = await lockSession(db, sessionId, runId)
  if (sessionNum === undefined) return false
  const runNum = await runNumber(db, sessionNum, runId)
  if (!(await isOpenFor(db, runNum, patch))) return false
  const values = runTable.changedBy({ ...run, finishedAt: runEndTime(run, now) })
  if (Object.keys(values).length > 0) await db.updateTable("runs").set(values).where("run_num", "=", runNum).execute()
  if (session === undefined) return true
  const row = db
    .updateTable("sessions")
    .set({ ...sessionTable.changedBy(session), updated_at: now() })
    .where("num", "=", sessionNum)
  const owned = shown === null ? row.where("run_id", "is", null) : row.where("run_id", "=", shown)
  const { numUpdatedRows } = await (patch.takesOver ? row : owned).executeTakeFirst()
  return numUpdatedRows > 0n
}
