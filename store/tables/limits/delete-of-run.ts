import type { Database } from "../../database/database.ts"
import { sessionNum } from "../sessions/lock-session.ts"

/** Removes the rows that the calls of a run have in a table of limits. */
export const deleteOfRun = async (
  database: Database,
  table: "call_reservations" | "provider_calls",
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<void> => {
  await database.write((db) =>
    db
      .deleteFrom(table)
      .where("session_num", "=", sessionNum(db, sessionId))
      .where("run_num", "in", (eb) => eb.selectFrom("run_ids").select("num").where("run_id", "=", runId))
      .execute(),
  )
}
