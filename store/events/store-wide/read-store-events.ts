import { sql } from "kysely"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { Reader } from "../../database.ts"
import { selectEvents, toEvent } from "../read-events.ts"

export interface StoreEvent {
  readonly event: SessionEvent
  readonly position: number
  /** The number of its session. */
  readonly session: number
}

/** Returns a page of the events of all sessions at a position or after it, in the order of positions. */
export const readStoreEvents = async (
  db: Reader,
  { from, after, limit }: { readonly from: number; readonly after: StoreEvent | undefined; readonly limit: number },
): Promise<readonly StoreEvent[]> => {
  const events = selectEvents(db)
    .innerJoin("sessions", "sessions.num", "events.session_num")
    .select(["sessions.id as session_id", "events.session_num", "events.position"])
    .where("events.position", ">=", from)
  const rest =
    after === undefined
      ? events
      : events.where(
          sql<boolean>`(events.position, events.session_num, events.id) > (${after.position}, ${after.session}, ${after.event.id})`,
        )
  const rows = await rest
    .orderBy("events.position")
    .orderBy("events.session_num")
    .orderBy("events.id")
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    event: toEvent(row.session_id, row),
    position: Number(row.position),
    session: row.session_num,
  }))
}
