import { type RawBuilder, sql } from "kysely"
import type { MissingSighting } from "../../domain/engine/missing-sessions.ts"
import type { Database, Writer } from "../database/database.ts"
import { toIso } from "../columns/iso-time.ts"
import { insertAudit } from "../tables/audit.ts"
import { lockSession, sessionNum } from "../tables/sessions/lock-session.ts"
import type { Acting } from "./engine-rows.ts"
import { countMissing, findMissing, listLost, listMissing, listNoted, toSighting } from "./select-missing.ts"

const isSameClaim = sql`missing_executions.run_id = excluded.run_id and missing_executions.claim_id = excluded.claim_id`

/** Keeps a column for the same run under the same claim; replaces it otherwise. */
const kept = (column: "first_seen_at" | "accepted_at"): RawBuilder<number> =>
  sql`case when ${isSameClaim} then missing_executions.${sql.ref(column)} else excluded.${sql.ref(column)} end`

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
          times: sql<number>`case when ${isSameClaim} then missing_executions.times + 1 else 1 end`,
          last_seen_at: at,
          run_id: runId,
          claim_id: claimId,
        }),
      )
      .returning(["times", "first_seen_at", "accepted_at"])
      .executeTakeFirstOrThrow(),
  )
}

const clear = async (db: Writer, sessionId: string, runId: string): Promise<void> => {
  await db
    .deleteFrom("missing_executions")
    .where("run_id", "=", runId)
    .where("session_num", "in", sessionNum(db, sessionId))
    .execute()
}

const accept = async (
  db: Writer,
  claimId: string,
  { by, via, at }: Acting & { readonly at: number },
): Promise<readonly string[]> => {
  const missing = await listMissing(db, claimId)
  for (const { sessionId, runId, firstSeenAt } of missing) {
    await db
      .updateTable("missing_executions")
      .set({ accepted_at: at })
      .where("session_num", "in", sessionNum(db, sessionId))
      .execute()
    const detail = { first_seen_at: firstSeenAt }
    await insertAudit(db, at, { sessionId, runId, action: "accept-missing", by, via, detail })
  }
  return missing.map(({ sessionId }) => sessionId)
}

/** Creates the record of sessions that the engine did not know. */
export const createMissingExecutions = (database: Database) => ({
  /** Notes that an engine does not know a session's run. Returns what is noted about this run under this claim. */
  note: (sessionId: string, { runId, claimId }: { readonly runId: string; readonly claimId: string }) =>
    database.write(async (db) => {
      const at = database.now()
      const session = await lockSession(db, sessionId)
      if (session === undefined) return { firstSeenAt: toIso(at), times: 1, acceptedAt: null }
      return note(db, { session, runId, claimId, at })
    }),

  /** Forgets a run that the engine knows or that has ended. Notes about another run are kept. */
  clear: async (sessionId: string, runId: string) => {
    const known = await database.read((db) => findMissing(db, sessionId))
    if (known?.runId === runId) await database.write((db) => clear(db, sessionId, runId))
  },

  get: (sessionId: string) => database.read((db) => findMissing(db, sessionId)),

  /** Counts open sessions, and those that are missing or were recently lost under this claim. */
  count: (claimId: string) => countMissing(database, claimId),

  /** Returns the open sessions whose current run is noted, under any claim. */
  listNoted: () => database.read(listNoted),

  /** Returns the open sessions that are missing under this claim and not accepted, the longest missing first. */
  list: (claimId: string) => database.read((db) => listMissing(db, claimId)),

  /** Accepts the loss of all listed sessions, with an audit entry for each. Returns their ids. */
  accept: (claimId: string, actor: Acting) =>
    database.write((db) => accept(db, claimId, { ...actor, at: database.now() })),

  /** Returns the sessions that were noted and whose run is recorded as lost, the least recently checked first. */
  listEnded: (limit: number) => database.read((db) => listLost(db, limit)),
})
