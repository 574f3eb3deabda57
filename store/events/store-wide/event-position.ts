import { sql } from "kysely"
import type { Reader, Writer } from "../../database.ts"
import { isPostgres } from "../../postgres/is-postgres.ts"
import { prepared } from "../../prepared-query.ts"

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

/** Returns the position of the events that this transaction appends. Undefined in PostgreSQL, which sets it itself. */
export const takePosition = async (db: Writer): Promise<number | undefined> => {
  if (isPostgres(db)) return undefined
  const [taken] = (await nextPosition(db, {})).rows
  return Number(taken?.value)
}

/** Returns the lowest position at which events may still be committed: every event below it is readable. */
export const openPosition = async (db: Reader): Promise<number> => {
  if (isPostgres(db)) {
    const { rows } = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(
      db,
    )
    return Number(rows[0]?.xmin)
  }
  const row = await db.selectFrom("meta").select("value").where("key", "=", positionKey).executeTakeFirst()
  return Number(row?.value ?? 0) + 1
}
