import type { Database } from "../database.ts"

/** The ids of a session's first and last event. */
export interface EventHead {
  readonly firstId: number
  readonly lastId: number
}

/** Few enough for one statement's parameters. */
const idsPerQuery = 1000

/** Returns the heads of the sessions that exist. */
export const readHeads = async (
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EventHead>> => {
  const heads = new Map<string, EventHead>()
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
