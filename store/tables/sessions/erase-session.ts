import type { Database, Writer } from "../../database/database.ts"
import { longWork } from "../../database/time-limit.ts"
import { runTable } from "../../schema/run-table.ts"
import { sessionTable } from "../../schema/session-table.ts"

const tables = [
  ...(["messages", "events", "inbox", "claims", "pauses"] as const),
  ...(["call_previews", "call_edits", "call_reservations", "grants", "todos", "deliveries", "bindings"] as const),
  ...(["shown_folders", "touched_files", "provider_calls", "worktrees", "media"] as const),
]

/**
 * Sets the tombstones that are missing, then erases every text of the sessions, in one transaction. Numbers (usage, steps, times) and the audit log
 * remain.
 */
export const eraseSessions = (database: Database, ids: readonly string[]): Promise<void> =>
  longWork(() => database.write((db) => erase(db, ids, database.now())))

const erase = async (db: Writer, ids: readonly string[], at: number): Promise<void> => {
  const rows = await db
    .selectFrom("sessions")
    .select("num")
    .where("id", "in", ids)
    .orderBy("num")
    .forNoKeyUpdate()
    .execute()
  if (rows.length === 0) return
  const nums = rows.map(({ num }) => num)
  for (const table of tables) await db.deleteFrom(table).where("session_num", "in", nums).execute()
  await db.updateTable("runs").set(runTable.erased).where("session_num", "in", nums).execute()
  await eraseRows(db, nums, at)
}

const eraseRows = async (db: Writer, nums: readonly number[], at: number): Promise<void> => {
  await db
    .updateTable("sessions")
    .set((eb) => ({
      ...sessionTable.erased,
      deleted_at: eb.fn.coalesce("deleted_at", eb.val(at)),
      updated_at: at,
      first_event: eb.ref("next_event"),
    }))
    .where("num", "in", nums)
    .execute()
}
