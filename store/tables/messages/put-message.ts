import { wellFormed } from "../../../domain/text/foreign/well-formed.ts"
import type { Writer } from "../../database.ts"
import { toJson } from "../../columns/json-column.ts"
import { runNumber } from "../sessions/run-number.ts"
import type { MessageRow } from "./message-rows.ts"

export interface MessageWrite {
  readonly sessionNum: number
  readonly row: Omit<MessageRow, "at">
  readonly at: number
}

/** Writes a message's row, with well-formed texts: a transcript would otherwise never reach a provider again. Returns false if a later fence has already written it. */
export const putMessage = async (db: Writer, { sessionNum, row, at }: MessageWrite): Promise<boolean> => {
  const result = await db
    .insertInto("messages")
    .values({
      session_num: sessionNum,
      seq: row.seq,
      run_num: await runNumber(db, sessionNum, row.runId),
      step: row.step,
      fence: row.fence,
      at,
      body: toJson(wellFormed(row.message)),
    })
    .onConflict((conflict) =>
      conflict
        .columns(["session_num", "seq"])
        .doUpdateSet((eb) => ({
          run_num: eb.ref("excluded.run_num"),
          step: eb.ref("excluded.step"),
          fence: eb.ref("excluded.fence"),
          at: eb.ref("excluded.at"),
          body: eb.ref("excluded.body"),
        }))
        .whereRef("excluded.fence", ">=", "messages.fence"),
    )
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}
