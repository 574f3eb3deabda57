import type { Database } from "../database/database.ts"
import type { EventPage } from "./read-events.ts"

/** Below the limit for the parameters of one statement. */
const idsPerQuery = 1000

/** Returns the first and last event ids of those sessions that exist. */
export const readHeads = async (
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<EventPage, "firstId" | "lastId">>> => {
  const heads = new Map<string, Pick<EventPage, "firstId" | "lastId">>()
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const rows = await database.read((db) =>
      db
        .selectFrom("sessions")
        .select(["id", "first_event", "next_event"])
        .where("id", "in", ids.slice(start, start + idsPerQuery))
        .execute(),
    )
    for (const row of rows) heads.set(row.id, { firstId: row.first_event, lastId: row.next_event - 1 })
  }
  return heads
}
