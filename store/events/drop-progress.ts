import type { Writer } from "../database.ts"
import { eventTypeCode } from "./event-type-code.ts"

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
