import { sql } from "kysely"
import { isPostgres, type Reader, type Writer } from "../../database/database.ts"
import { prepared } from "../../database/prepared-query.ts"

const positionKey = "event_position"

const nextPosition = prepared((db) =>
  db
    .insertInto("meta")
    .values({ key: positionKey, value: "1" })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet({ value: sql<string>`cast(cast(meta.value as integer) + 1 as text)` }),
    )
    .returning("value"),
)

/** Returns the position of the events that this transaction appends. Undefined in PostgreSQL, which numbers the events itself. */
export const takePosition = async (db: Writer): Promise<number | undefined> => {
  if (isPostgres(db)) return undefined
  const [taken] = (await nextPosition(db, {})).rows
  return Number(taken?.value)
}

/** Returns the position that no event has had yet: those that happen from now on have it, or a later one. */
export const nextFreePosition = async (db: Reader): Promise<number> => {
  if (isPostgres(db)) {
    const { rows } = await sql<{ next: string }>`
      select last_value + case when is_called then 1 else 0 end as next from event_positions`.execute(db)
    return Number(rows[0]?.next)
  }
  const row = await db.selectFrom("meta").select("value").where("key", "=", positionKey).executeTakeFirst()
  return Number(row?.value ?? 0) + 1
}

/** Returns who is in a transaction that has appended events to this store, or is about to. */
export const openWriters = async (db: Reader): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = 'events'::regclass
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return new Set(rows.map(({ writer }) => writer))
}
