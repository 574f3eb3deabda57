import type { Database } from "../database/database.ts"

/** No call runs for longer after it was cancelled. */
const keepMs = 86_400_000

export const createStopRequests = (database: Database) => ({
  /** Repeating it changes nothing. The id is that of a run in one execution. */
  add: (runId: string) =>
    database.write(async (db) => {
      const now = database.now()
      await db
        .deleteFrom("stop_requests")
        .where("requested_at", "<", now - keepMs)
        .execute()
      await db
        .insertInto("stop_requests")
        .values({ run_id: runId, requested_at: now })
        .onConflict((conflict) => conflict.column("run_id").doNothing())
        .execute()
    }, "crash"),

  /** Returns which of the runs are to stop. */
  among: async (runIds: readonly string[]) => {
    if (runIds.length === 0) return []
    const rows = await database.read((db) =>
      db.selectFrom("stop_requests").select("run_id").where("run_id", "in", runIds).execute(),
    )
    return rows.map((row) => row.run_id)
  },
})

/** Requests to stop the calls of a run, for workers to which the engine reports a cancel late. */
export type StopRequests = ReturnType<typeof createStopRequests>
