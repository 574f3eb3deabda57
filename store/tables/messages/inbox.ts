import { type UserSource, userSourceSchema } from "../../../contracts/message.ts"
import type { Database } from "../../database/database.ts"
import { toIso } from "../../columns/iso-time.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** A text for a session. It is stored first, then its id is signalled. */
export interface InboxRow {
  readonly id: string
  readonly sessionId: string
  readonly source: UserSource
  readonly text: string
  readonly at: string
}

const toRow = (sessionId: string, row: Pick<DatabaseSchema["inbox"], "id" | "source" | "text" | "at">): InboxRow => ({
  ...{ id: row.id, sessionId, source: userSourceSchema.parse(row.source) },
  ...{ text: fromJson<string>(row.text), at: toIso(row.at) },
})

export const createInbox = (database: Database) => ({
  /** Idempotent by id: a repeated id keeps the first text. */
  put: (row: Omit<InboxRow, "at">) =>
    writeToSession(database, row.sessionId, async (db, session) => {
      await db
        .insertInto("inbox")
        .values({ session_num: session, id: row.id, source: row.source, text: toJson(row.text), at: database.now() })
        .onConflict((conflict) => conflict.columns(["session_num", "id"]).doNothing())
        .execute()
    }),

  delete: (sessionId: string, id: string) =>
    writeToSession(database, sessionId, async (db, session) => {
      await db.deleteFrom("inbox").where("session_num", "=", session).where("id", "=", id).execute()
    }),

  get: (sessionId: string, id: string) =>
    database.read(async (db) => {
      const row = await db
        .selectFrom("inbox")
        .select(["id", "source", "text", "at"])
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("id", "=", id)
        .executeTakeFirst()
      return row === undefined ? undefined : toRow(sessionId, row)
    }),

  /** Returns the texts that were stored after a moment, in ISO 8601, oldest first. */
  since: (sessionId: string, at: string) =>
    database.read(async (db) => {
      const rows = await db
        .selectFrom("inbox")
        .select(["id", "source", "text", "at"])
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("at", ">=", Date.parse(at))
        .orderBy("at")
        .execute()
      return rows.map((row) => toRow(sessionId, row))
    }),
})
