import type { Database } from "../../database/database.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** The arguments that an approver gave a call, with which it is executed. The transcript contains those that the model proposed. */
export interface CallEditRow {
  /** The transcript row of the call's result. */
  readonly seq: number
  readonly callId: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export const createCallEdits = (database: Database) => ({
  put: async (sessionId: string, { seq, callId, arguments: args }: CallEditRow) => {
    await writeToSession(database, sessionId, (db, session) =>
      db
        .insertInto("call_edits")
        .values({ session_num: session, seq, call_id: callId, arguments: toJson(args) })
        .onConflict((conflict) =>
          conflict.columns(["session_num", "seq"]).doUpdateSet((eb) => ({
            call_id: eb.ref("excluded.call_id"),
            arguments: eb.ref("excluded.arguments"),
          })),
        )
        .execute(),
    )
  },

  get: (sessionId: string, seq: number) =>
    database.read(async (db) => {
      const row = await db
        .selectFrom("call_edits")
        .selectAll()
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("seq", "=", seq)
        .executeTakeFirst()
      return row === undefined
        ? undefined
        : { seq, callId: row.call_id, arguments: fromJson<Record<string, unknown>>(row.arguments) }
    }),
})
