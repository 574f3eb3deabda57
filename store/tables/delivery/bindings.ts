import { type Selectable, sql, type Updateable } from "kysely"
import { type BindingPatch, type BindingRow, bindingTable, type NewBinding } from "../../schema/binding-table.ts"
import type { Database, Reader, Writer } from "../../database/database.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"

type Selected = Selectable<DatabaseSchema["bindings"]> & { readonly session_id: string; readonly has_open_run: number }

const isOpen = (table: "sessions" | "below") =>
  sql`${sql.ref(`${table}.run_id`)} is not null and ${sql.ref(`${table}.status`)} in ('pending', 'running', 'paused')`

/** A run of the session is open, or of a sub-agent that works for it after its run has ended. */
const openRun = sql<number>`(case when (${isOpen("sessions")}) or exists (select 1 from sessions as below where below.parent_id = sessions.id and ${isOpen("below")}) then 1 else 0 end)`

const select = (db: Reader) =>
  db
    .selectFrom("bindings")
    .innerJoin("sessions", "sessions.num", "bindings.session_num")
    .where("sessions.deleted_at", "is", null)
    .selectAll("bindings")
    .select(["sessions.id as session_id", openRun.as("has_open_run")])

const one = (row: Selected | undefined): BindingRow | undefined =>
  row === undefined ? undefined : bindingTable.toRow(row)

const valuesOf = (binding: NewBinding, session: number, at: number) => ({
  ...bindingTable.created(binding),
  session_num: session,
  bound_at: at,
  active_at: at,
})

const clear = async (db: Writer, { channel, threadKey }: NewBinding, session: number): Promise<void> => {
  await db
    .deleteFrom("bindings")
    .where((eb) =>
      eb.or([eb("session_num", "=", session), eb.and([eb("channel", "=", channel), eb("thread_key", "=", threadKey)])]),
    )
    .execute()
}

/** Inserts a binding. Another session that binds the same thread at the same time has not seen this one: the last one has it. */
const insert = async (db: Writer, row: ReturnType<typeof valuesOf>): Promise<void> => {
  await db
    .insertInto("bindings")
    .values(row)
    .onConflict((conflict) => conflict.columns(["channel", "thread_key"]).doUpdateSet(row))
    .execute()
}

const insertNew = async (db: Writer, row: ReturnType<typeof valuesOf>): Promise<boolean> => {
  const result = await db
    .insertInto("bindings")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

const ofSession = async (db: Reader, sessionId: string): Promise<BindingRow | undefined> =>
  one(await select(db).where("sessions.id", "=", sessionId).executeTakeFirst())

const ofThread = async (db: Reader, channel: string, threadKey: string): Promise<BindingRow | undefined> =>
  one(
    await select(db)
      .where("bindings.channel", "=", channel)
      .where("bindings.thread_key", "=", threadKey)
      .executeTakeFirst(),
  )

const update = async (
  db: Writer,
  sessionId: string,
  values: Updateable<DatabaseSchema["bindings"]>,
): Promise<boolean> => {
  const result = await db
    .updateTable("bindings")
    .set(values)
    .where("session_num", "=", sessionNum(db, sessionId))
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

const remove = async (db: Writer, sessionId: string): Promise<BindingRow | undefined> => {
  const removed = await ofSession(db, sessionId)
  await db.deleteFrom("bindings").where("session_num", "=", sessionNum(db, sessionId)).execute()
  return removed
}

/** Creates access to the bindings. Expired ones remain until they are removed; `domain/delivery/binding-expiry.ts` determines the expiry. */
export const createBindings = (database: Database) => ({
  /** Binds a thread and a session, and removes their earlier bindings. Writes nothing for a deleted session. */
  bind: (binding: NewBinding) =>
    writeToSession(database, binding.sessionId, async (db, session) => {
      await clear(db, binding, session)
      await insert(db, valuesOf(binding, session, database.now()))
    }),
  /** Binds a thread and a session; returns false, without writing, if either already has a binding. */
  bindNew: async (binding: NewBinding) =>
    (await writeToSession(database, binding.sessionId, (db, session) =>
      insertNew(db, valuesOf(binding, session, database.now())),
    )) ?? false,
  ofSession: (sessionId: string) => database.read((db) => ofSession(db, sessionId)),
  ofThread: (channel: string, threadKey: string) => database.read((db) => ofThread(db, channel, threadKey)),
  list: () =>
    database.read(async (db) => (await select(db).orderBy("bindings.bound_at").execute()).map(bindingTable.toRow)),
  patch: (sessionId: string, patch: BindingPatch) =>
    database.write((db) => update(db, sessionId, { ...bindingTable.changedBy(patch), active_at: database.now() })),
  /** Records that a message was sent or received just now. */
  touch: async (sessionId: string) => {
    await database.write((db) => update(db, sessionId, { active_at: database.now() }))
  },
  /** Removes a binding and returns it. */
  remove: (sessionId: string) => database.write((db) => remove(db, sessionId)),
})
