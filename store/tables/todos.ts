import type { Database } from "../database/database.ts"
import { fromJson, toJson } from "../columns/json-column.ts"
import { sessionNum, writeToSession } from "./sessions/lock-session.ts"

export interface TodoRow {
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
}

export const createTodos = (database: Database) => ({
  read: async (sessionId: string) => {
    const row = await database.read((db) =>
      db.selectFrom("todos").select("todos").where("session_num", "=", sessionNum(db, sessionId)).executeTakeFirst(),
    )
    return row === undefined ? [] : fromJson<readonly TodoRow[]>(row.todos)
  },

  write: (sessionId: string, todos: readonly TodoRow[]) =>
    writeToSession(database, sessionId, async (db, session) => {
      const text = toJson(todos)
      await db
        .insertInto("todos")
        .values({ session_num: session, todos: text })
        .onConflict((conflict) => conflict.column("session_num").doUpdateSet({ todos: text }))
        .execute()
    }),
})
