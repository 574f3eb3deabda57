import type { Selectable } from "kysely"
import type { Writer } from "../database.ts"
import { deltaTypes } from "./delta.ts"
import { eventTypeCode } from "./event-type-code.ts"
import { fromJsonOrNull, toJson } from "../columns/json-column.ts"
import type { Schema } from "../schema.ts"

type DeltaRow = Pick<Selectable<Schema["events"]>, "id" | "type" | "compacted" | "data">

/** Replaces the deltas of a message by one row per type, with the id of the last one, that refers to the message's text. */
export const compactDeltas = async (db: Writer, sessionNum: number, seq: number): Promise<void> => {
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
