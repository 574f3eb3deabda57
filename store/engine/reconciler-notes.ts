import { sql } from "kysely"
import type { Database, Writer } from "../database/database.ts"
import { writeToSession } from "../tables/sessions/lock-session.ts"

export interface Sighting {
  readonly executionId: string
  readonly passId: string
}

const isSameExecution = sql`orphan_sightings.execution_id = excluded.execution_id`
const isSamePass = sql`orphan_sightings.pass_id = excluded.pass_id`

const noteOrphan = async (
  db: Writer,
  { executionId, passId, session, at }: Sighting & { readonly session: number; readonly at: number },
): Promise<number> => {
  const { times } = await db
    .insertInto("orphan_sightings")
    .values({ session_num: session, execution_id: executionId, pass_id: passId, times: 1, first_seen_at: at })
    .onConflict((conflict) =>
      conflict.column("session_num").doUpdateSet({
        times: sql<number>`case when not (${isSameExecution}) then 1 when ${isSamePass} then orphan_sightings.times else orphan_sightings.times + 1 end`,
        first_seen_at: sql<number>`case when ${isSameExecution} then orphan_sightings.first_seen_at else excluded.first_seen_at end`,
        execution_id: executionId,
        pass_id: passId,
      }),
    )
    .returning("times")
    .executeTakeFirstOrThrow()
  return times
}

/** Returns what the reconciler keeps between its passes. */
export const createReconcilerNotes = (database: Database) => ({
  /** The position at which the job was interrupted; empty where it starts at the first row. */
  cursor: (job: string) =>
    database.read(async (db) => {
      const row = await db.selectFrom("job_cursors").select("position").where("job", "=", job).executeTakeFirst()
      return row?.position ?? ""
    }),

  setCursor: async (job: string, position: string) => {
    await database.write(
      (db) =>
        db
          .insertInto("job_cursors")
          .values({ job, position })
          .onConflict((conflict) => conflict.column("job").doUpdateSet({ position }))
          .execute(),
      "crash",
    )
  },

  /** Notes that a pass found this execution of a child without a parent. Returns how many passes in a row have found it so. */
  noteOrphan: async (sessionId: string, sighting: Sighting) =>
    (await writeToSession(database, sessionId, (db, session) =>
      noteOrphan(db, { ...sighting, session, at: database.now() }),
    )) ?? 0,

  /** Returns the ids of the noted children, each with the number of passes. */
  listOrphans: () =>
    database.read(async (db) => {
      const rows = await db
        .selectFrom("orphan_sightings")
        .innerJoin("sessions", "sessions.num", "orphan_sightings.session_num")
        .select(["sessions.id", "orphan_sightings.times"])
        .execute()
      return new Map(rows.map(({ id, times }) => [id, times]))
    }),

  /** Forgets a child that has a parent or that has ended. */
  clearOrphan: async (sessionId: string) => {
    await writeToSession(database, sessionId, (db, session) =>
      db.deleteFrom("orphan_sightings").where("session_num", "=", session).execute(),
    )
  },
})
