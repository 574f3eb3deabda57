import type { EventType, SessionEvent } from "../../contracts/event.ts"
import type { Reader } from "../database/database.ts"
import { eventTypeCode } from "../columns/event-type-code.ts"
import { selectEvents, toEvent } from "./read-events.ts"

/** More would take long in a large store, whose events have no index by type. */
const mostSessions = 200
const mostEvents = 100

/** Returns the events of a type since a time in milliseconds, the newest first: those of the sessions that changed last. */
export const recentEvents = async (
  db: Reader,
  { type, sinceMs }: { readonly type: EventType; readonly sinceMs: number },
): Promise<readonly SessionEvent[]> => {
  const changed = db
    .selectFrom("sessions")
    .select("num")
    .where("updated_at", ">=", sinceMs)
    .where("deleted_at", "is", null)
    .orderBy("updated_at", "desc")
    .limit(mostSessions)
  const rows = await selectEvents(db)
    .innerJoin("sessions", "sessions.num", "events.session_num")
    .select("sessions.id as session_id")
    .where("events.session_num", "in", changed)
    .where("events.type", "=", eventTypeCode(type))
    .where("events.at", ">=", sinceMs)
    .orderBy("events.at", "desc")
    .limit(mostEvents)
    .execute()
  return rows.map((row) => toEvent(row.session_id, row))
}
