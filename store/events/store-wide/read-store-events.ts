import { sql } from "kysely"
import type { SessionEvent } from "../../../contracts/event.ts"
import type { Reader } from "../../database/database.ts"
import { selectEvents, toEvent } from "../read-events.ts"

export interface StoreEvent {
  readonly event: SessionEvent
  readonly position: number
  /** The number of its session. */
  readonly session: number
}

interface StorePage {
  readonly from: number
  /** The last event that was read. */
  readonly after: StoreEvent | undefined
  /** Earlier positions whose events are read too. */
  readonly missing: readonly number[]
  readonly limit: number
}

/** Returns a page of the events of all sessions in the order of positions: those at a position or after it, and those at the missing ones. */
export const readStoreEvents = async (
  db: Reader,
  { from, after, missing, limit }: StorePage,
): Promise<readonly StoreEvent[]> => {
  const isNew =
    after === undefined
      ? sql<boolean>`events.position >= ${from}`
      : sql<boolean>`(events.position, events.session_num, events.id) > (${after.position}, ${after.session}, ${after.event.id})`
  const rows = await selectEvents(db)
    .innerJoin("sessions", "sessions.num", "events.session_num")
    .select(["sessions.id as session_id", "events.session_num", "events.position"])
    // Lets the index begin there, whatever the other conditions are.
    .where("events.position", ">=", Math.min(after?.position ?? from, ...missing))
    .where((eb) => (missing.length === 0 ? isNew : eb.or([isNew, eb("events.position", "in", missing)])))
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

/** Returns the positions of a range that have events, in order. */
export const readPositions = async (
  db: Reader,
  { from, before }: { readonly from: number; readonly before: number },
): Promise<readonly number[]> => {
  const rows = await db
    .selectFrom("events")
    .select("position")
    .where("position", ">=", from)
    .where("position", "<", before)
    .orderBy("position")
    .execute()
  return rows.map(({ position }) => Number(position))
}
