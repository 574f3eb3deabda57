import type { Message } from "../../../contracts/message.ts"
import { copyMessages } from "./copy-messages.ts"
import type { Database, Reader } from "../../database.ts"
import { toIso } from "../../columns/iso-time.ts"
import { fromJson } from "../../columns/json-column.ts"
import { lockSession } from "../sessions/lock-session.ts"
import { putMessage } from "./put-message.ts"
import type { MessageRow, Messages } from "./message-rows.ts"

export const createMessages = (database: Database): Messages => ({
  put: (sessionId, row) =>
    database.write(async (db) => {
      const sessionNum = await lockSession(db, sessionId)
      return sessionNum !== undefined && putMessage(db, { sessionNum, row, at: database.now() })
    }),

  putAll: async (sessionId, rows) => {
    if (rows.length === 0) return
    await database.write(async (db) => {
      const sessionNum = await lockSession(db, sessionId)
      if (sessionNum === undefined) return
      const at = database.now()
      for (const row of rows) await putMessage(db, { sessionNum, row, at })
    })
  },

  get: (sessionId, seq) =>
    database.read(async (db) => {
      const row = await selectMessages(db, sessionId).where("messages.seq", "=", seq).executeTakeFirst()
      return row === undefined ? undefined : toMessageRow(row)
    }),

  read: (sessionId, { fromSeq, headSeq }) =>
    database.read(async (db) => {
      const upToHead = selectMessages(db, sessionId).where("messages.seq", "<=", headSeq)
      const inRange = fromSeq === undefined ? upToHead : upToHead.where("messages.seq", ">=", fromSeq)
      const rows = await inRange.orderBy("messages.seq").execute()
      return rows.map(toMessageRow)
    }),

  copy: (fromSessionId, toSessionId, headSeq) =>
    database.write((db) => copyMessages(db, { fromSessionId, toSessionId, headSeq })),
})

const selectMessages = (db: Reader, sessionId: string) =>
  db
    .selectFrom("sessions")
    .innerJoin("messages", "messages.session_num", "sessions.num")
    .innerJoin("run_ids", "run_ids.num", "messages.run_num")
    .select(["messages.seq", "run_ids.run_id", "messages.step", "messages.fence", "messages.at", "messages.body"])
    .where("sessions.id", "=", sessionId)

const toMessageRow = (row: {
  readonly seq: number
  readonly run_id: string
  readonly step: number
  readonly fence: number
  readonly at: number
  readonly body: string
}): MessageRow => ({
  seq: row.seq,
  runId: row.run_id,
  step: row.step,
  message: fromJson<Message>(row.body),
  fence: row.fence,
  at: toIso(row.at),
})
