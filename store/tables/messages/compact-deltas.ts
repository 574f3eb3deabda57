import { type Selectable, sql } from "kysely"
import type { Writer } from "../../database/database.ts"
import { deltaTypes } from "./delta.ts"
import { eventTypeCode } from "../../columns/event-type-code.ts"
import { fromJsonOrNull, toJson } from "../../columns/json-column.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"

type DeltaRow = Pick<Selectable<DatabaseSchema["events"]>, "id" | "type" | "compacted" | "data">

/** The messages of which a transaction has found out that they have no deltas. */
const withoutDeltas = new WeakMap<Writer, Set<string>>()

const messageKey = (sessionNum: number, seq: number): string => `${sessionNum} ${seq}`

/** Returns how many deltas a message has, in a statement on the row of the message. */
export const deltaCount = () =>
  sql<number>`(select count(*) from events where events.session_num = messages.session_num
    and events.delta_seq = messages.seq and events.type in (${sql.join(deltaTypes.map(eventTypeCode))}))`

/** Remembers, until the transaction ends or appends deltas, that a message has none. The session's row is locked. */
export const keepWithoutDeltas = (db: Writer, sessionNum: number, seq: number): void => {
  const keys = withoutDeltas.get(db) ?? new Set<string>()
  withoutDeltas.set(db, keys.add(messageKey(sessionNum, seq)))
}

export const forgetWithoutDeltas = (db: Writer): void => void withoutDeltas.delete(db)

/** Replaces the deltas of a message by one row per type, with the id of the last one, that refers to the message's text. */
export const compactDeltas = async (db: Writer, sessionNum: number, seq: number): Promise<void> => {
  if (withoutDeltas.get(db)?.has(messageKey(sessionNum, seq)) === true) return
  const rows: readonly DeltaRow[] = await db
    .selectFrom("events")
    .select(["id", "type", "compacted", "data"])
    .where("session_num", "=", sessionNum)
    .where("delta_seq", "=", seq)
    .where("type", "in", deltaTypes.map(eventTypeCode))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("messages").select("seq").where("session_num", "=", sessionNum).where("seq", "=", seq)),
    )
    .orderBy("id")
    .execute()

  for (const [type, ofType] of Map.groupBy(rows, (row) => row.type)) {
    const last = ofType.at(-1)
    if (last === undefined || (ofType.length === 1 && last.compacted === 1)) continue
    await db
      .deleteFrom("events")
      .where("session_num", "=", sessionNum)
      .where("delta_seq", "=", seq)
      .where("type", "=", type)
      .where("id", "<", last.id)
      .execute()
    await db
      .updateTable("events")
      .set({ compacted: 1, data: toJson({ seq, attempt: latestAttempt(ofType) }) })
      .where("session_num", "=", sessionNum)
      .where("id", "=", last.id)
      .execute()
  }
}

const latestAttempt = (rows: readonly DeltaRow[]): number =>
  Math.max(...rows.map((row) => fromJsonOrNull<{ attempt?: number }>(row.data)?.attempt ?? 1))

/** Removes the progress of a call that a later event replaces: of a call that reports it for a day, one event remains. */
export const dropEarlierProgress = async (
  db: Writer,
  sessionNum: number,
  { seq, before }: { readonly seq: number; readonly before: number },
): Promise<void> => {
  await db
    .deleteFrom("events")
    .where("session_num", "=", sessionNum)
    .where("delta_seq", "=", seq)
    .where("type", "=", eventTypeCode("tool-progressed"))
    .where("id", "<", before)
    .execute()
}
