import { sql } from "kysely"
import type { DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"
import type { Database, Reader, Writer } from "../../database/database.ts"
import {
  type DeliveryFilter,
  type DeliveryPatch,
  type DeliveryRow,
  deliveryTable,
  type NewDelivery,
} from "../../schema/delivery-table.ts"
import { fromIso } from "../../columns/iso-time.ts"
import { oneRow } from "../../columns/one-row.ts"
import { fromJson } from "../../columns/json-column.ts"
import { defaultLimit } from "../default-limit.ts"
import { writeToSession } from "../sessions/lock-session.ts"

const select = (db: Reader) =>
  db
    .selectFrom("deliveries")
    .innerJoin("sessions", "sessions.num", "deliveries.session_num")
    .selectAll("deliveries")
    .select("sessions.id as session_id")

/** Returns the key of a thread. The body names the thread; the destination alone is the same for all threads of a channel. */
const threadOf = ({ url, body }: Pick<DeliveryRow, "url" | "body">): string =>
  `${url} ${fromJson<{ readonly thread_key?: string }>(body).thread_key ?? ""}`

/** Returns the place of a new message in its thread: after all others, whatever the clocks of their workers said. */
const placeInThread = async (db: Writer, thread: string) => {
  const last = await db
    .selectFrom("deliveries")
    .select("thread_number")
    .where("thread", "=", thread)
    .orderBy("thread_number", "desc")
    .limit(1)
    .executeTakeFirst()
  return { thread, thread_number: (last?.thread_number ?? 0) + 1 }
}

const insertDelivery = async (
  db: Writer,
  delivery: NewDelivery,
  { session, at }: { readonly session: number; readonly at: number },
): Promise<void> => {
  const place =
    delivery.kind === "channel" ? await placeInThread(db, threadOf(delivery)) : { thread: null, thread_number: null }
  await db
    .insertInto("deliveries")
    .values({
      ...deliveryTable.created(delivery),
      ...place,
      session_num: session,
      status: "pending",
      attempts: 0,
      last_error: null,
      next_try_at: null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute()
}

const listDeliveries = async (
  db: Reader,
  { status, sessionId, limit = defaultLimit }: DeliveryFilter,
): Promise<readonly DeliveryRow[]> => {
  let query = select(db)
  if (status !== undefined) query = query.where("deliveries.status", "=", status)
  if (sessionId !== undefined) query = query.where("sessions.id", "=", sessionId)
  const rows = await query.orderBy("deliveries.created_at", "desc").orderBy("deliveries.key").limit(limit).execute()
  return rows.map(deliveryTable.toRow)
}

const listOverdue = async (db: Reader, before: number, limit: number): Promise<readonly DeliveryRow[]> => {
  const rows = await select(db)
    .where("deliveries.status", "=", "pending")
    .where((eb) => eb(eb.fn.coalesce("deliveries.next_try_at", "deliveries.updated_at"), "<", before))
    .orderBy("deliveries.created_at")
    .limit(limit)
    .execute()
  return rows.map(deliveryTable.toRow)
}

const nextInThread = async (
  db: Reader,
  row: Pick<DeliveryRow, "url" | "body">,
): Promise<Pick<DeliveryRow, "key"> | undefined> =>
  db
    .selectFrom("deliveries")
    .select("key")
    .where("thread", "=", threadOf(row))
    // The state is part of the statement and no parameter: only then SQLite uses the index of pending deliveries.
    .where(sql<boolean>`status = 'pending'`)
    .orderBy("thread_number")
    .orderBy("key")
    .limit(1)
    .executeTakeFirst()

const countPending = async (db: Reader): Promise<number> => {
  const { count } = await db
    .selectFrom("deliveries")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("status", "=", "pending")
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const createDeliveries = (database: Database) => ({
  /** Stores a delivery. Idempotent by key: a repetition keeps the first body. Writes nothing for a deleted session. */
  create: (delivery: NewDelivery) =>
    writeToSession(database, delivery.sessionId, (db, session) =>
      insertDelivery(db, delivery, { session, at: database.now() }),
    ),

  get: (key: string) =>
    database.read((db) => oneRow(select(db).where("deliveries.key", "=", key).executeTakeFirst(), deliveryTable.toRow)),

  /** Returns deliveries, newest first. */
  list: (filter: DeliveryFilter) => database.read((db) => listDeliveries(db, filter)),

  /** Returns pending deliveries whose next attempt was due before this time, oldest first: the process that should attempt it may have died. */
  listOverdue: async (before: string, limit: number) => {
    const at = fromIso(before)
    return database.read((db) => listOverdue(db, at, limit))
  },

  /** Returns the pending message to the thread of this one that was stored first. */
  nextInThread: (row: Pick<DeliveryRow, "url" | "body">) => database.read((db) => nextInThread(db, row)),

  countPending: () => database.read(countPending),

  /** Changes a row that has one of the states `from`; returns false if it has another one or does not exist. */
  patch: async (key: string, patch: DeliveryPatch, from: readonly DeliveryStatus[]) => {
    const result = await database.write((db) =>
      db
        .updateTable("deliveries")
        .set({ ...deliveryTable.changedBy(patch), updated_at: database.now() })
        .where("key", "=", key)
        .where("status", "in", [...from])
        .executeTakeFirst(),
    )
    return result.numUpdatedRows > 0n
  },
})
