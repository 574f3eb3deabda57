import type { Selectable } from "kysely"
import type { Bindings, BindingRow, NewBinding, Outbound } from "./binding-rows.ts"
import type { Database, Reader, Writer } from "../../database.ts"
import { toIso } from "../../columns/iso-time.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { lockSession, sessionNum } from "../sessions/lock-session.ts"
import type { BindingsTable } from "../../schema.ts"

type Selected = Selectable<BindingsTable> & { readonly session_id: string }

const select = (db: Reader) =>
  db
    .selectFrom("bindings")
    .innerJoin("sessions", "sessions.num", "bindings.session_num")
    .where("sessions.deleted_at", "is", null)
    .selectAll("bindings")
    .select("sessions.id as session_id")

const toRow = (row: Selected): BindingRow => ({
  sessionId: row.session_id,
  channel: row.channel,
  threadKey: row.thread_key,
  outbound: fromJson<Outbound>(row.outbound),
  boundAt: toIso(row.bound_at),
  activeAt: toIso(row.active_at),
  idleMs: row.idle_ms,
  maxAgeMs: row.max_age_ms,
})

const one = (row: Selected | undefined): BindingRow | undefined => (row === undefined ? undefined : toRow(row))

const valuesOf = (binding: NewBinding, session: number, at: number) => ({
  session_num: session,
  channel: binding.channel,
  thread_key: binding.threadKey,
  outbound: toJson(binding.outbound),
  bound_at: at,
  active_at: at,
  idle_ms: binding.idleMs,
  max_age_ms: binding.maxAgeMs,
})

const clear = async (db: Writer, { channel, threadKey }: NewBinding, session: number): Promise<void> => {
  await db
    .deleteFrom("bindings")
    .where((eb) =>
      eb.or([eb("session_num", "=", session), eb.and([eb("channel", "=", channel), eb("thread_key", "=", threadKey)])]),
    )
    .execute()
}

export const createBindings = (database: Database): Bindings => {
  const ofSession = (sessionId: string) =>
    database.read(async (db) => one(await select(db).where("sessions.id", "=", sessionId).executeTakeFirst()))
  return {
    bind: (binding) =>
      database.write(async (db) => {
        const session = await lockSession(db, binding.sessionId)
        if (session === undefined) return
        await clear(db, binding, session)
        await db
          .insertInto("bindings")
          .values(valuesOf(binding, session, database.now()))
          .execute()
      }),

    bindNew: (binding) =>
      database.write(async (db) => {
        const session = await lockSession(db, binding.sessionId)
        if (session === undefined) return false
        const result = await db
          .insertInto("bindings")
          .values(valuesOf(binding, session, database.now()))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
      }),

    ofSession,

    ofThread: (channel, threadKey) =>
      database.read(async (db) =>
        one(
          await select(db)
            .where("bindings.channel", "=", channel)
            .where("bindings.thread_key", "=", threadKey)
            .executeTakeFirst(),
        ),
      ),

    list: () => database.read(async (db) => (await select(db).orderBy("bindings.bound_at").execute()).map(toRow)),

    patch: async (sessionId, { idleMs, maxAgeMs }) => {
      const result = await database.write((db) =>
        db
          .updateTable("bindings")
          .set({ idle_ms: idleMs, max_age_ms: maxAgeMs, active_at: database.now() })
          .where("session_num", "=", sessionNum(db, sessionId))
          .executeTakeFirst(),
      )
      return result.numUpdatedRows > 0n
    },

    touch: async (sessionId) => {
      await database.write((db) =>
        db
          .updateTable("bindings")
          .set({ active_at: database.now() })
          .where("session_num", "=", sessionNum(db, sessionId))
          .execute(),
      )
    },

    remove: (sessionId) =>
      database.write(async (db) => {
        const there = one(await select(db).where("sessions.id", "=", sessionId).executeTakeFirst())
        await db.deleteFrom("bindings").where("session_num", "=", sessionNum(db, sessionId)).execute()
        return there
      }),
  }
}
