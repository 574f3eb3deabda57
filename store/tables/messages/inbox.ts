import { type UserSource, userSourceSchema } from "../../../contracts/message.ts"
import type { Database } from "../../database.ts"
import { toIso } from "../../columns/iso-time.ts"
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

  get: (sessionId: string, id: string) =>
    database.read(async (db) => {
      const row = await db
        .selectFrom("inbox")
        .select(["source", "text", "at"])
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("id", "=", id)
        .executeTakeFirst()
      if (row === undefined) return undefined
      return {
        id,
        sessionId,
        source: userSourceSchema.parse(row.source),
        text: fromJson<string>(row.text),
        at: toIso(row.at),
      }
    }),
})
