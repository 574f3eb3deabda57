import type { Database, Writer } from "../../database.ts"
import { longWork } from "../../time-limit.ts"
import { runTable } from "./run-rows.ts"
import { sessionTable } from "./session-table.ts"

const tables = [
  ...(["messages", "events", "inbox", "claims", "pauses"] as const),
  ...(["call_previews", "call_edits", "call_reservations", "grants", "todos", "deliveries", "bindings"] as const),
  ...(["shown_folders", "touched_files", "provider_calls", "worktrees", "media"] as const),
]

/** Sets the tombstone if there is none, then erases every text of the session. Numbers (usage, steps, times) and the audit log remain. */
export const eraseSession = (database: Database, id: string): Promise<void> =>
  longWork(() => database.write((db) => erase(db, id, database.now())))

const erase = async (db: Writer, id: string, at: number): Promise<void> => {
  const row = await db.selectFrom("sessions").select("num").where("id", "=", id).forNoKeyUpdate().executeTakeFirst()
  if (row === undefined) return
  for (const table of tables) await db.deleteFrom(table).where("session_num", "=", row.num).execute()
  await db.updateTable("runs").set(runTable.erased).where("session_num", "=", row.num).execute()
  await eraseRow(db, row.num, at)
}

const eraseRow = async (db: Writer, num: number, at: number): Promise<void> => {
  await db
    .updateTable("sessions")
    .set((eb) => ({
      ...sessionTable.erased,
      deleted_at: eb.fn.coalesce("deleted_at", eb.val(at)),
      updated_at: at,
      first_event: eb.ref("next_event"),
    }))
    .where("num", "=", num)
    .execute()
}
