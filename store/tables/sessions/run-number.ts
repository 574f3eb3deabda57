import { sql } from "kysely"
import type { Writer } from "../../database/database.ts"

/** What a transaction has found out, by run id. It stays true until the transaction ends, since numbers never change. */
const known = new WeakMap<Writer, Map<string, { readonly session: number; readonly run: number }>>()

/** Returns the number of a run, in a statement on the row of its session. Null: it may have none yet. */
export const runNumberOf = (runId: string) =>
  sql<
    number | null
  >`(select run_ids.num from run_ids where run_ids.session_num = sessions.num and run_ids.run_id = ${runId})`

/** Remembers, until the transaction ends, the number that a statement returned. */
export const keepRunNumber = (db: Writer, runId: string, found: { readonly session: number; readonly run: number }) => {
  const numbers = known.get(db) ?? new Map<string, typeof found>()
  known.set(db, numbers.set(runId, found))
}

/** Returns the number of a run that this transaction has looked up. */
export const keptRunNumber = (db: Writer, runId: string): number | undefined => known.get(db)?.get(runId)?.run

/** Returns the number that replaces a run's id within its session; creates it at the first use. */
export const runNumber = async (db: Writer, sessionNum: number, runId: string): Promise<number> => {
  const kept = known.get(db)?.get(runId)
  if (kept?.session === sessionNum) return kept.run
  const found = await db
    .selectFrom("run_ids")
    .select("num")
    .where("run_id", "=", runId)
    .where("session_num", "=", sessionNum)
    .executeTakeFirst()
  const { num } =
    found ??
    (await db
      .insertInto("run_ids")
      .values({ run_id: runId, session_num: sessionNum })
      .returning("num")
      .executeTakeFirstOrThrow())
  keepRunNumber(db, runId, { session: sessionNum, run: num })
  return num
}
