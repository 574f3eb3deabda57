import { sql } from "kysely"
import type { MissingCount, MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { Database, Reader } from "../database/database.ts"
import { toIso, toIsoOrNull } from "../columns/iso-time.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import type { MissingRow } from "./engine-rows.ts"

const isOpen = sql<boolean>`sessions.status in ('pending', 'running', 'paused')`

type SelectedMissing = Pick<
  DatabaseSchema["missing_executions"],
  "run_id" | "times" | "first_seen_at" | "accepted_at"
> & {
  readonly session_id: string
}

export const toSighting = (row: Pick<SelectedMissing, "times" | "first_seen_at" | "accepted_at">): MissingSighting => ({
  firstSeenAt: toIso(row.first_seen_at),
  times: row.times,
  acceptedAt: toIsoOrNull(row.accepted_at),
})

const toMissingRow = (row: SelectedMissing): MissingRow => ({
  sessionId: row.session_id,
  runId: row.run_id,
  ...toSighting(row),
})

const selectMissing = (db: Reader) =>
  db
    .selectFrom("missing_executions")
    .innerJoin("sessions", "sessions.num", "missing_executions.session_num")
    .where("sessions.deleted_at", "is", null)
    .select(["sessions.id as session_id", "missing_executions.run_id", "missing_executions.times"])
    .select(["missing_executions.first_seen_at", "missing_executions.accepted_at"])

export const findMissing = async (db: Reader, sessionId: string): Promise<MissingRow | undefined> => {
  const row = await selectMissing(db).where("sessions.id", "=", sessionId).limit(1).executeTakeFirst()
  return row === undefined ? undefined : toMissingRow(row)
}

const selectOpen = (db: Reader) =>
  selectMissing(db).where(isOpen).whereRef("sessions.run_id", "=", "missing_executions.run_id")

/** Returns open sessions that are missing under the claim and not accepted, the longest missing first. */
export const listMissing = async (db: Reader, claimId: string): Promise<readonly MissingRow[]> => {
  const rows = await selectOpen(db)
    .where("claim_id", "=", claimId)
    .where("accepted_at", "is", null)
    .orderBy("first_seen_at")
    .orderBy("session_num")
    .execute()
  return rows.map(toMissingRow)
}

/** Long enough that losses recorded one after another are counted together. */
const recentMs = 3_600_000

/** Counts runs that were recently recorded as lost, and whose loss has not been accepted. */
const countRecentlyLost = async (db: Reader, claimId: string, now: number): Promise<number> => {
  const lost = await selectMissing(db)
    .whereRef("sessions.run_id", "=", "missing_executions.run_id")
    .where("sessions.status", "=", "failed")
    .where("sessions.stop_reason", "=", "terminated")
    .where("claim_id", "=", claimId)
    .where("accepted_at", "is", null)
    .where("first_seen_at", ">", now - recentMs)
    .execute()
  return lost.length
}

/** Counts open sessions, and those that are missing or were recently lost under the claim. */
export const countMissing = (database: Database, claimId: string): Promise<MissingCount> =>
  database.read(async (db) => {
    const { open } = await db
      .selectFrom("sessions")
      .select((eb) => eb.fn.countAll<number | string>().as("open"))
      .where(isOpen)
      .where("run_id", "is not", null)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow()
    const lost = await countRecentlyLost(db, claimId, database.now())
    return { missing: (await listMissing(db, claimId)).length, open: Number(open), lost }
  })

/** Returns the ids of open sessions whose current run was noted as missing. */
export const listNoted = async (db: Reader): Promise<ReadonlySet<string>> =>
  new Set((await selectOpen(db).execute()).map(({ session_id }) => session_id))

/** Selects sessions that were noted as missing and whose run is recorded as lost. */
export const selectLost = (db: Reader) =>
  selectMissing(db)
    .innerJoin("run_ids", (join) =>
      join
        .onRef("run_ids.run_id", "=", "missing_executions.run_id")
        .onRef("run_ids.session_num", "=", "missing_executions.session_num"),
    )
    .innerJoin("runs", "runs.run_num", "run_ids.num")
    .where("runs.status", "=", "failed")
    .where("runs.stop_reason", "=", "terminated")

/** Returns sessions that were noted as missing and whose run is recorded as lost, the least recently checked first. */
export const listLost = async (db: Reader, limit: number): Promise<readonly MissingRow[]> => {
  const rows = await selectLost(db)
    .orderBy("last_seen_at")
    .orderBy("missing_executions.session_num")
    .limit(limit)
    .execute()
  return rows.map(toMissingRow)
}
