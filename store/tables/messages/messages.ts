import { copyMessages } from "./copy-messages.ts"
import type { Database, Reader } from "../../database.ts"
import { oneRow } from "../../columns/one-row.ts"
import { writeToRun, writeToSession } from "../sessions/lock-session.ts"
import { acceptMessage, placedHead, withdrawMessage } from "./accepted-messages.ts"
import { putMessage } from "./put-message.ts"
import { isEnd, readTail } from "./transcript-end.ts"
import { toMessageRow } from "./message-row.ts"
import type { Messages } from "./message-rows.ts"

export const createMessages = (database: Database): Messages => ({
  put: async (sessionId, row) =>
    (await writeToRun(database, { sessionId, runId: row.runId }, (db, sessionNum) =>
      putMessage(db, { sessionNum, row, at: database.now() }),
    )) ?? false,

  putAll: async (sessionId, rows) => {
    const [first] = rows
    if (first === undefined) return
    await writeToRun(database, { sessionId, runId: first.runId }, async (db, sessionNum) => {
      const at = database.now()
      for (const row of rows) await putMessage(db, { sessionNum, row, at })
    })
  },

  accept: async (sessionId, text) => {
    await writeToSession(database, sessionId, (db, sessionNum) =>
      acceptMessage(db, sessionNum, { ...text, at: database.now() }),
    )
  },

  withdraw: async (sessionId, runId) => {
    await writeToSession(database, sessionId, (db, sessionNum) => withdrawMessage(db, sessionNum, runId))
  },

  isEnd: async (sessionId, seq, since) =>
    (await writeToSession(database, sessionId, (db, sessionNum) => isEnd(db, sessionNum, { seq, since }))) ?? false,

  tail: (sessionId, from) => database.read((db) => readTail(db, sessionId, from)),

  placedHead: (sessionId) =>
    database.read(async (db) => {
      const session = await db.selectFrom("sessions").select("num").where("id", "=", sessionId).executeTakeFirst()
      return session === undefined ? 0 : placedHead(db, session.num)
    }),

  get: (sessionId, seq) =>
    database.read((db) =>
      oneRow(selectMessages(db, sessionId).where("messages.seq", "=", seq).executeTakeFirst(), toMessageRow),
    ),

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
