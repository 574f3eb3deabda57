import { sql, type Updateable } from "kysely"
import type { Reader, Writer } from "../database/database.ts"
import { prepared } from "../database/prepared-query.ts"
import { dropEarlierProgress, forgetWithoutDeltas } from "../tables/messages/compact-deltas.ts"
import { isDelta } from "../tables/messages/delta.ts"
import { takePosition } from "./store-wide/event-position.ts"
import { eventTypeCode } from "../columns/event-type-code.ts"
import { type EventRow, otherEvents, withoutReported } from "./other-events.ts"
import { toJsonObject } from "../columns/json-column.ts"
import { keepLocked } from "../tables/sessions/lock-session.ts"
import { type SessionPatch, sessionTable } from "../schema/session-table.ts"
import { keepRunNumber, runNumber, runNumberOf } from "../tables/sessions/run-number.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import type { NewEvent } from "./new-event.ts"

export interface EventBatch {
  readonly sessionId: string
  readonly events: readonly NewEvent[]
  readonly at: number
  /** Changes the session's row with the same statement. */
  readonly patch?: SessionPatch | undefined
}

const progressCode = eventTypeCode("tool-progressed")
const isProgress = ({ type }: NewEvent): boolean => type === "tool-progressed"

/** SQLite allows 32,766 parameters in one statement. */
const rowsPerInsert = 500

/** Appends the events that are not in the log yet; ids have no gaps. Returns the last id; undefined if the session does not exist or is deleted. */
export const appendEvents = async (db: Writer, batch: EventBatch): Promise<number | undefined> => {
  const { events, at } = batch
  // Locks the session's row.
  const session = await takeIds(db, batch)
  if (session === undefined) return undefined

  const position = await takePosition(db)
  const firstId = session.next_event - events.length
  const rows: EventRow[] = []
  for (const event of events)
    rows.push({
      session_num: session.num,
      id: firstId + rows.length,
      run_num: await runNumber(db, session.num, event.runId),
      type: eventTypeCode(event.type),
      at: event.at ?? at,
      ordinal: event.ordinal ?? null,
      delta_seq: event.messageSeq ?? (isDelta(event.type) || isProgress(event) ? seqOf(event.data) : null),
      compacted: event.messageSeq === undefined ? 0 : 1,
      data: toJsonObject(event.data),
      ...(position === undefined ? {} : { position }),
    })
  if (events.some(({ type }) => isDelta(type))) forgetWithoutDeltas(db)
  const written = await insertAll(db, rows)
  for (const row of rows)
    if (row.type === progressCode && typeof row.delta_seq === "number")
      await dropEarlierProgress(db, session.num, { seq: row.delta_seq, before: row.id })
  if (written < rows.length) await closeGaps(db, session.num, { firstId, written })
  return firstId + written - 1
}

interface TakenIds extends Updateable<DatabaseSchema["sessions"]> {
  readonly sessionId: string
  readonly runId: string
  readonly count: number
}

/** The shape of the query: the names of the columns that it changes in addition. */
const takeIdsQuery = prepared((db, values: TakenIds, shape) => {
  const columns = shape.split(" ").filter((column): column is keyof TakenIds => column !== "")
  const patch: Updateable<DatabaseSchema["sessions"]> = Object.fromEntries(
    columns.map((column) => [column, values[column]]),
  )
  return db
    .updateTable("sessions")
    .set((eb) => ({ ...patch, next_event: eb("next_event", "+", values.count) }))
    .where("id", "=", values.sessionId)
    .where("deleted_at", "is", null)
    .returning(["num", "next_event", runNumberOf(values.runId).as("run")])
})

/** Takes as many ids as there are events, and looks up the number of their run with the same statement. */
const takeIds = async (
  db: Writer,
  { sessionId, events, at, patch }: EventBatch,
): Promise<{ readonly num: number; readonly next_event: number } | undefined> => {
  const runId = events[0]?.runId ?? ""
  const values = patch === undefined ? {} : { ...sessionTable.changedBy(patch), updated_at: at }
  const shape = Object.keys(values).join(" ")
  const taken = await takeIdsQuery(db, { ...values, sessionId, runId, count: events.length }, shape)
  const [session] = taken.rows
  if (session === undefined) return undefined
  keepLocked(db, sessionId, session.num)
  if (session.run !== null) keepRunNumber(db, runId, { session: session.num, run: session.run })
  return session
}

const insertEvents = (db: Reader, rows: readonly EventRow[]) =>
  db
    .insertInto("events")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["session_num", "run_num", "ordinal"])
        .where(sql<boolean>`ordinal is not null`)
        .doNothing(),
    )

/** Up to so many events have a prepared query. Most transactions append fewer. */
const fewRows = 4

/** The shape of the query: the number of rows, and the columns of each. */
const insertFew = prepared((db, values: Readonly<Record<string, never>>, shape) => {
  const [count, ...columns] = shape.split(" ")
  const rowOf = (index: number) => Object.fromEntries(columns.map((column) => [column, values[`${index} ${column}`]]))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape has the columns of an event's row
  return insertEvents(db, Array.from({ length: Number(count) }, (_, index) => rowOf(index)) as unknown as EventRow[])
})

const insertRows = async (db: Writer, rows: readonly EventRow[]): Promise<number> => {
  const [first] = rows
  if (first === undefined || rows.length > fewRows)
    return Number((await insertEvents(db, rows).executeTakeFirstOrThrow()).numInsertedOrUpdatedRows ?? 0n)
  const values = rows.flatMap((row, index) =>
    Object.entries(row).map(([column, value]) => [`${index} ${column}`, value] as const),
  )
  const shape = [rows.length, ...Object.keys(first)].join(" ")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- values of any type are passed on
  const { numAffectedRows = 0n } = await insertFew(db, Object.fromEntries(values) as Record<string, never>, shape)
  return Number(numAffectedRows)
}

/** Inserts the events whose ordinals are not in the log, and returns how many that are. */
const insertNew = async (db: Writer, rows: readonly EventRow[]): Promise<number> => {
  let written = 0
  for (let start = 0; start < rows.length; start += rowsPerInsert)
    written += await insertRows(db, rows.slice(start, start + rowsPerInsert))
  return written
}

/**
 * Inserts the events that are not in the log, and returns how many that are. Ordinals alone do not tell: after a reset, a new event can have the ordinal of
 * an old one.
 */
const insertAll = async (db: Writer, rows: readonly EventRow[]): Promise<number> => {
  const unreported = await withoutReported(db, rows)
  const written = await insertNew(db, unreported)
  return written === unreported.length ? written : written + (await insertNew(db, await otherEvents(db, unreported)))
}

/** Renumbers the events from an id on without gaps: some that ids were taken for were in the log already. The ids that are left are given back. */
const closeGaps = async (
  db: Writer,
  sessionNum: number,
  { firstId, written }: { readonly firstId: number; readonly written: number },
): Promise<void> => {
  const rows = await db
    .selectFrom("events")
    .select("id")
    .where("session_num", "=", sessionNum)
    .where("id", ">=", firstId)
    .orderBy("id")
    .execute()
  for (const [index, { id }] of rows.entries())
    if (id !== firstId + index)
      await db
        .updateTable("events")
        .set({ id: firstId + index })
        .where("session_num", "=", sessionNum)
        .where("id", "=", id)
        .execute()
  await db
    .updateTable("sessions")
    .set({ next_event: firstId + written })
    .where("num", "=", sessionNum)
    .execute()
}

const seqOf = (data: NewEvent["data"]): number | null => {
  const seq = data["seq"]
  return typeof seq === "number" && Number.isSafeInteger(seq) ? seq : null
}
