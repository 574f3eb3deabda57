import { sql } from "kysely"
import { copyMessages } from "./copy-messages.ts"
import { toJson } from "../../columns/json-column.ts"
import { containing } from "../../columns/like-pattern.ts"
import { type Database, isPostgres, type Reader } from "../../database/database.ts"
import { oneRow } from "../../columns/one-row.ts"
import { prepared } from "../../database/prepared-query.ts"
import { writeToRun, writeToSession } from "../sessions/lock-session.ts"
import { showAccepted, placedHead, removeAccepted } from "./accepted-messages.ts"
import { putMessage } from "./put-message.ts"
import { isEnd, readTail } from "./transcript-end.ts"
import { toMessageRow } from "./message-row.ts"
import type { Fence } from "../fence.ts"
import type { MessageRow } from "./message-rows.ts"

export const createMessages = (database: Database) => ({
  /** Writes a row; returns false if a newer attempt has already written it. */
  put: async (sessionId: string, row: Omit<MessageRow, "at">) =>
    (await writeToRun(database, { sessionId, runId: row.runId }, (db, sessionNum) =>
      putMessage(db, { sessionNum, row, at: database.now() }),
    )) ?? false,

  /** Writes several rows in one transaction, each with its own fence. */
  putAll: async (sessionId: string, rows: readonly Omit<MessageRow, "at">[]) => {
    const [first] = rows
    if (first === undefined) return
    await writeToRun(database, { sessionId, runId: first.runId }, async (db, sessionNum) => {
      const at = database.now()
      for (const row of rows) await putMessage(db, { sessionNum, row, at })
    })
  },

  /**
   * Shows the text that starts a run as the last row of the transcript, before the run's workflow assigns its place and writes it again. Once per run.
   */
  accept: async (sessionId: string, text: Pick<MessageRow, "runId" | "message">) => {
    await writeToSession(database, sessionId, (db, sessionNum) =>
      showAccepted(db, sessionNum, { ...text, at: database.now() }),
    )
  },

  /** Removes what `accept` added for a run that could not be started. */
  withdraw: async (sessionId: string, runId: string) => {
    await writeToSession(database, sessionId, (db, sessionNum) => removeAccepted(db, sessionNum, runId))
  },

  /**
   * Returns true if no row above `seq` was written with the fence `since` or a later one. In a transaction this stays so until its end. An abandoned
   * attempt finds out with it that it comes late.
   */
  isEnd: async (sessionId: string, seq: number, since: Fence) =>
    (await writeToSession(database, sessionId, (db, sessionNum) => isEnd(db, sessionNum, { seq, since }))) ?? false,

  /**
   * Returns the first row from `seq` on that was written with the fence `since` or a later one, which is undefined at the end of the transcript, and whether
   * the session has an open pause. Undefined for a session that does not exist or is deleted. Others can write right after it.
   */
  tail: (sessionId: string, from: { seq: number; since: Fence }) =>
    database.read((db) => readTail(db, sessionId, from)),

  /** Returns the last row that a workflow has placed: the head of the transcript without rows that `accept` added. */
  placedHead: (sessionId: string) =>
    database.read(async (db) => {
      const session = await db.selectFrom("sessions").select("num").where("id", "=", sessionId).executeTakeFirst()
      return session === undefined ? 0 : placedHead(db, session.num)
    }),

  get: (sessionId: string, seq: number) =>
    database.read((db) =>
      oneRow(
        getMessage(db, { sessionId, seq }).then(({ rows }) => rows[0]),
        toMessageRow,
      ),
    ),

  /** Returns the rows with `fromSeq <= seq <= headSeq`, in order. */
  read: (sessionId: string, { fromSeq, headSeq }: { fromSeq?: number; headSeq: number }) =>
    database.read(async (db) => {
      const { rows } = await readMessages(db, { sessionId, headSeq, fromSeq: fromSeq ?? 0 })
      return rows.map(toMessageRow)
    }),

  /** Returns the rows that were written after a moment, in ISO 8601, in order. */
  since: (sessionId: string, at: string) => database.read((db) => messagesSince(db, sessionId, at)),

  /** Returns rows of a session whose stored form contains a text, in upper or lower case; the newest first, at most `limit`. */
  containing: (sessionId: string, text: string, limit: number) =>
    database.read((db) => messagesContaining(db, { sessionId, text, limit })),

  /** Copies rows up to `headSeq` into another session. */
  copy: (fromSessionId: string, toSessionId: string, headSeq: number) =>
    database.write((db) => copyMessages(db, { fromSessionId, toSessionId, headSeq })),
})

const selectMessages = (db: Reader, sessionId: string) =>
  db
    .selectFrom("sessions")
    .innerJoin("messages", "messages.session_num", "sessions.num")
    .innerJoin("run_ids", "run_ids.num", "messages.run_num")
    .select(["messages.seq", "run_ids.run_id", "messages.step", "messages.fence", "messages.at", "messages.body"])
    .where("sessions.id", "=", sessionId)

const getMessage = prepared((db, { sessionId, seq }: { sessionId: string; seq: number }) =>
  selectMessages(db, sessionId).where("messages.seq", "=", seq),
)

const readMessages = prepared((db, values: { sessionId: string; fromSeq: number; headSeq: number }) =>
  selectMessages(db, values.sessionId)
    .where("messages.seq", ">=", values.fromSeq)
    .where("messages.seq", "<=", values.headSeq)
    .orderBy("messages.seq"),
)

const messagesSince = async (db: Reader, sessionId: string, at: string): Promise<readonly MessageRow[]> => {
  const rows = await selectMessages(db, sessionId)
    .where("messages.at", ">=", Date.parse(at))
    .orderBy("messages.seq")
    .execute()
  return rows.map(toMessageRow)
}

const messagesContaining = async (
  db: Reader,
  { sessionId, text, limit }: { readonly sessionId: string; readonly text: string; readonly limit: number },
): Promise<readonly MessageRow[]> => {
  const pattern = containing(toJson(text).slice(1, -1))
  const rows = await selectMessages(db, sessionId)
    .where(sql<boolean>`messages.body ${isPostgres(db) ? sql`ilike` : sql`like`} ${pattern} escape '\\'`)
    .orderBy("messages.seq", "desc")
    .limit(limit)
    .execute()
  return rows.map(toMessageRow)
}
