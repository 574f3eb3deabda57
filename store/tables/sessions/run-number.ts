import type { Writer } from "../../database.ts"

/** Returns the number that replaces a run's id within its session; creates it at the first use. */
export const runNumber = async (db: Writer, sessionNum: number, runId: string): Promise<number> => {
  const known = await db
    .selectFrom("run_ids")
    .select("num")
    .where("run_id", "=", runId)
    .where("session_num", "=", sessionNum)
    .executeTakeFirst()
  if (known !== undefined) return known.num
  const made = await db
    .insertInto("run_ids")
    .values({ run_id: runId, session_num: sessionNum })
    .returning("num")
    .executeTakeFirstOrThrow()
  return made.num
}
