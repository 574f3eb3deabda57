import { type RawBuilder, sql } from "kysely"
import type { MissingCount, MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { Database, Reader, Writer } from "../database.ts"
import type { EventFeeds } from "../events/event-feeds.ts"
import { toIso, toIsoOrNull } from "../columns/iso-time.ts"
import { toJson } from "../columns/json-column.ts"
import { lockSession, sessionNum } from "../tables/sessions/lock-session.ts"
import type { MissingExecutions, MissingRow } from "./engine-rows.ts"
import { reopenRun } from "./reopen-run.ts"

const isOpen = sql<boolean>`sessions.status in ('pending', 'running', 'paused')`

interface Selected {
  readonly session_id: string
  readonly run_id: string
  readonly times: number
  readonly first_seen_at: number
  readonly accepted_at: number | null
}

const toSighting = (row: Pick<Selected, "times" | "first_seen_at" | "accepted_at">): MissingSighting => ({
  firstSeenAt: toIso(row.first_seen_at),
  times: row.times,
  acceptedAt: toIsoOrNull(row.accepted_at),
})

const toRow = (row: Selected): MissingRow => ({ sessionId: row.session_id, runId: row.run_id, ...toSighting(row) })

const select = (db: Reader) =>
  db
    .selectFrom("missing_executions")
    .innerJoin("sessions", "sessions.num", "missing_executions.session_num")
    .where("sessions.deleted_at", "is", null)
    .select(["sessions.id as session_id", "missing_executions.run_id", "missing_executions.times"])
    .select(["missing_executions.first_seen_at", "missing_executions.accepted_at"])

const selectOf = (db: Reader, sessionId: string) => select(db).where("sessions.id", "=", sessionId).limit(1)

const selectOpen = (db: Reader) =>
  select(db).where(isOpen).whereRef("sessions.run_id", "=", "missing_executions.run_id")

/** Open sessions that are missing under the claim and not accepted, oldest sighting first. */
const listMissing = async (db: Reader, claimId: string): Promise<readonly MissingRow[]> => {
  const rows = await selectOpen(db)
    .where("claim_id", "=", claimId)
    .where("accepted_at", "is", null)
    .orderBy("first_seen_at")
    .orderBy("session_num")
    .execute()
  return rows.map(toRow)
}

/** Long enough that many who wait one after another count together. */
const recentMs = 3_600_000

/** Runs that were recorded as lost a short while ago, and whose loss nobody has accepted. */
const countRecentlyLost = async (db: Reader, claimId: string, now: number): Promise<number> => {
  const lost = await select(db)
    .whereRef("sessions.run_id", "=", "missing_executions.run_id")
    .where("sessions.status", "=", "failed")
    .where("sessions.stop_reason", "=", "terminated")
    .where("claim_id", "=", claimId)
    .where("accepted_at", "is", null)
    .where("first_seen_at", ">", now - recentMs)
    .execute()
  return lost.length
}

/** Counts open sessions; those missing or lost only under the claim. */
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

const isSame = sql`missing_executions.run_id = excluded.run_id and missing_executions.claim_id = excluded.claim_id`

/** A sighting of the same run under the same claim keeps what it has; any other one takes its place. */
const kept = (column: "first_seen_at" | "accepted_at"): RawBuilder<number> =>
  sql`case when ${isSame} then missing_executions.${sql.ref(column)} else excluded.${sql.ref(column)} end`

const note = async (
  db: Writer,
  sighting: { readonly session: number; readonly runId: string; readonly claimId: string; readonly at: number },
): Promise<MissingSighting> => {
  const { session, runId, claimId, at } = sighting
  return toSighting(
    await db
      .insertInto("missing_executions")
      .values({ session_num: session, run_id: runId, claim_id: claimId, times: 1, first_seen_at: at, last_seen_at: at })
      .onConflict((conflict) =>
        conflict.column("session_num").doUpdateSet({
          first_seen_at: kept("first_seen_at"),
          accepted_at: kept("accepted_at"),
          times: sql<number>`case when ${isSame} then missing_executions.times + 1 else 1 end`,
          last_seen_at: at,
          run_id: runId,
          claim_id: claimId,
        }),
      )
      .returning(["times", "first_seen_at", "accepted_at"])
      .executeTakeFirstOrThrow(),
  )
}

/** Sessions that the engine did not know when it was asked. */
export const createMissingExecutions = (database: Database, feeds: EventFeeds): MissingExecutions => ({
  note: (sessionId, { runId, claimId }) =>
    database.write(async (db) => {
      const at = database.now()
      const session = await lockSession(db, sessionId)
      if (session === undefined) return { firstSeenAt: toIso(at), times: 1, acceptedAt: null }
      return note(db, { session, runId, claimId, at })
    }),

  clear: async (sessionId, runId) => {
    const known = await database.read((db) => selectOf(db, sessionId).executeTakeFirst())
    if (known?.run_id !== runId) return
    await database.write((db) =>
      db
        .deleteFrom("missing_executions")
        .where("run_id", "=", runId)
        .where("session_num", "in", sessionNum(db, sessionId))
        .execute(),
    )
  },

  get: (sessionId) =>
    database.read(async (db) => {
      const row = await selectOf(db, sessionId).executeTakeFirst()
      return row === undefined ? undefined : toRow(row)
    }),

  count: (claimId) => countMissing(database, claimId),

  listNoted: () =>
    database.read(async (db) => new Set((await selectOpen(db).execute()).map(({ session_id }) => session_id))),

  list: (claimId) => database.read((db) => listMissing(db, claimId)),

  accept: (claimId, { by, via }) =>
    database.write(async (db) => {
      const at = database.now()
      const missing = await listMissing(db, claimId)
      for (const { sessionId, runId, firstSeenAt } of missing) {
        await db
          .updateTable("missing_executions")
          .set({ accepted_at: at })
          .where("session_num", "in", sessionNum(db, sessionId))
          .execute()
        const detail = toJson({ first_seen_at: firstSeenAt })
        await db
          .insertInto("audit")
          .values({ key: null, at, session_id: sessionId, run_id: runId, action: "accept-missing", by, via, detail })
          .execute()
      }
      return missing.map(({ sessionId }) => sessionId)
    }),

  listEnded: (limit) =>
    database.read(async (db) => {
      const rows = await select(db)
        .innerJoin("run_ids", (join) =>
          join
            .onRef("run_ids.run_id", "=", "missing_executions.run_id")
            .onRef("run_ids.session_num", "=", "missing_executions.session_num"),
        )
        .innerJoin("runs", "runs.run_num", "run_ids.num")
        .where("runs.status", "=", "failed")
        .where("runs.stop_reason", "=", "terminated")
        .orderBy("last_seen_at")
        .orderBy("missing_executions.session_num")
        .limit(limit)
        .execute()
      return rows.map(toRow)
    }),

  touch: (sessionId) =>
    database.write(async (db) => {
      await db
        .updateTable("missing_executions")
        .set({ last_seen_at: database.now() })
        .where("session_num", "in", sessionNum(db, sessionId))
        .execute()
    }),

  reopen: async (sessionId, living) => {
    const isReopened = await database.write((db) => reopenRun(db, { sessionId, living, at: database.now() }))
    if (isReopened) feeds.changed(sessionId)
    return isReopened
  },
})
