import { wellFormed } from "../../../domain/text/foreign/well-formed.ts"
import type { Reader, Writer } from "../../database/database.ts"
import { toJson } from "../../columns/json-column.ts"
import { deltaCount, keepWithoutDeltas } from "./compact-deltas.ts"
import { hasChanged, prepared } from "../../database/prepared-query.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { runNumber } from "../sessions/run-number.ts"
import type { MessageRow } from "./message-rows.ts"

export interface MessageWrite {
  readonly sessionNum: number
  readonly row: Omit<MessageRow, "at">
  readonly at: number
}

const insertMessage = (db: Reader, values: DatabaseSchema["messages"]) =>
  db
    .insertInto("messages")
    .values({
      session_num: values.session_num,
      seq: values.seq,
      run_num: values.run_num,
      step: values.step,
      fence: values.fence,
      at: values.at,
      body: values.body,
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

const putRow = prepared(insertMessage)
const putAnswer = prepared((db, values: DatabaseSchema["messages"]) =>
  insertMessage(db, values).returning(deltaCount().as("deltas")),
)

/** Writes a message's row, with well-formed texts: a transcript would otherwise never reach a provider again. Returns false if a later fence has already written it. */
export const putMessage = async (db: Writer, { sessionNum, row, at }: MessageWrite): Promise<boolean> => {
  const values = {
    session_num: sessionNum,
    seq: row.seq,
    run_num: await runNumber(db, sessionNum, row.runId),
    step: row.step,
    fence: row.fence,
    at,
    body: toJson(wellFormed(row.message)),
  }
  if (row.message.role !== "assistant") return hasChanged(await putRow(db, values))
  const [written] = (await putAnswer(db, values)).rows
  if (written === undefined) return false
  if (Number(written.deltas) === 0) keepWithoutDeltas(db, sessionNum, row.seq)
  return true
}
