import type { Database } from "../database.ts"
import { fromJson, toJson } from "../columns/json-column.ts"
import { lockSession, sessionNum } from "./sessions/lock-session.ts"
import type { Store, TodoRow } from "../store.ts"

export const createTodos = (database: Database): Store["todos"] => ({
  read: async (sessionId) => {
    const row = await database.read((db) =>
      db.selectFrom("todos").select("todos").where("session_num", "=", sessionNum(db, sessionId)).executeTakeFirst(),
    )
    return row === undefined ? [] : fromJson<readonly TodoRow[]>(row.todos)
  },

  write: (sessionId, todos) =>
    database.write(async (db) => {
      const session = await lockSession(db, sessionId)
      if (session === undefined) return
      const text = toJson(todos)
      await db
        .insertInto("todos")
        .values({ session_num: session, todos: text })
        .onConflict((conflict) => conflict.column("session_num").doUpdateSet({ todos: text }))
        .execute()
    }),
})
