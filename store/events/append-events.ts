import type { Insertable } from "kysely"
import type { Writer } from "../database.ts"
import { isDelta } from "./delta.ts"
import { takePosition } from "./store-wide/event-position.ts"
import { eventTypeCode } from "./event-type-code.ts"
import { toJsonObject } from "../columns/json-column.ts"
import { keepLocked } from "../tables/sessions/lock-session.ts"
import { keepRunNumber, runNumber, runNumberOf } from "../tables/sessions/run-number.ts"
import type { Schema } from "../schema.ts"
import type { NewEvent } from "./new-event.ts"

export interface EventBatch {
  readonly sessionId: string
  readonly events: readonly NewEvent[]
  readonly at: number
}

/** SQLite allows 32,766 parameters in one statement. */
const rowsPerInsert = 500

/** Appends the events that are not in the log yet; ids have no gaps. Returns the last id; undefined if the session does not exist or is deleted. */
export const appendEvents = async (db: Writer, { sessionId, events, at }: EventBatch): Promise<number | undefined> => {
  // Locks the session's row before the ordinals are read.
  const session = await takeIds(db, sessionId, events)
  if (session === undefined) return undefined

  const position = await takePosition(db)
  const firstId = session.next_event - events.length
  const rows: Insertable<Schema["events"]>[] = []
  for (const { event, run } of await withoutRepeated(db, session.num, events)) {
    rows.push({
      session_num: session.num,
      id: firstId + rows.length,
      run_num: run,
      type: eventTypeCode(event.type),
      at,
      ordinal: event.ordinal ?? null,
      delta_seq: event.messageSeq ?? (isDelta(event.type) ? seqOf(event.data) : null),
      compacted: event.messageSeq === undefined ? 0 : 1,
      data: toJsonObject(event.data),
      ...(position === undefined ? {} : { position }),
    })
  }
  if (rows.length < events.length)
    await db
      .updateTable("sessions")
      .set({ next_event: firstId + rows.length })
      .where("num", "=", session.num)
      .execute()
  for (let start = 0; start < rows.length; start += rowsPerInsert)
    await db
      .insertInto("events")
      .values(rows.slice(start, start + rowsPerInsert))
      .execute()
  return firstId + rows.length - 1
}

/** Takes as many ids as there are events, and looks up the number of their run with the same statement. */
const takeIds = async (
  db: Writer,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<{ readonly num: number; readonly next_event: number } | undefined> => {
  const runId = events[0]?.runId ?? ""
  const session = await db
    .updateTable("sessions")
    .set((eb) => ({ next_event: eb("next_event", "+", events.length) }))
    .where("id", "=", sessionId)
    .where("deleted_at", "is", null)
    .returning(["num", "next_event", runNumberOf(runId).as("run")])
    .executeTakeFirst()
  if (session === undefined) return undefined
  keepLocked(db, sessionId, session.num)
  if (session.run !== null) keepRunNumber(db, runId, { session: session.num, run: session.run })
  return session
}

const withoutRepeated = async (
  db: Writer,
  sessionNum: number,
  events: readonly NewEvent[],
): Promise<readonly { event: NewEvent; run: number }[]> => {
  const runs = new Map<string, number>()
  const written = new Map<number, Set<number>>()
  const fresh: { event: NewEvent; run: number }[] = []
  for (const event of events) {
    const run = runs.get(event.runId) ?? (await runNumber(db, sessionNum, event.runId))
    runs.set(event.runId, run)
    if (event.ordinal !== undefined) {
      const ordinals = written.get(run) ?? (await writtenOrdinals(db, { sessionNum, run, events }))
      written.set(run, ordinals)
      if (ordinals.has(event.ordinal)) continue
      ordinals.add(event.ordinal)
    }
    fresh.push({ event, run })
  }
  return fresh
}

const writtenOrdinals = async (
  db: Writer,
  { sessionNum, run, events }: { sessionNum: number; run: number; events: readonly NewEvent[] },
): Promise<Set<number>> => {
  const ordinals = events.flatMap((event) => (event.ordinal === undefined ? [] : [event.ordinal]))
  const rows = await db
    .selectFrom("events")
    .select("ordinal")
    .where("session_num", "=", sessionNum)
    .where("run_num", "=", run)
    .where("ordinal", ">=", Math.min(...ordinals))
    .where("ordinal", "<=", Math.max(...ordinals))
    .execute()
  return new Set(rows.flatMap((row) => (row.ordinal === null ? [] : [row.ordinal])))
}

const seqOf = (data: NewEvent["data"]): number | null => {
  const seq = data["seq"]
  return typeof seq === "number" && Number.isSafeInteger(seq) ? seq : null
}
