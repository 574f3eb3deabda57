import { sql } from "kysely"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { Database, Writer } from "./database.ts"
import type { Migration } from "./migrations/migration.ts"
import { newStoreId } from "./new-store-id.ts"

/**
 * Brings the schema to the newest version that the code knows, in one transaction: of two processes that start together one does the
 * work and the other finds it done. Answers the store's id. `place` names the store in errors.
 */
export const migrate = (database: Database, migrations: readonly Migration[], place: string): Promise<string> =>
  database.write(async (db) => {
    if (!(await hasMeta(db))) await createMeta(db, place)
    const version = Number(await readMeta(db, "schema_version", place))
    const newest = migrations.at(-1)?.version ?? 0
    if (version > newest)
      throw new AdjutantError(
        "data_dir_unusable",
        `The session store ${place} was written by a newer Adjutant (schema ${version}, this one knows ${newest}): upgrade Adjutant or choose another data directory.`,
      )
    for (const migration of migrations.filter((step) => step.version > version)) {
      for (const statement of migration.sqlite) await sql.raw(statement).execute(db)
    }
    if (version < newest)
      await db
        .updateTable("meta")
        .set({ value: String(newest) })
        .where("key", "=", "schema_version")
        .execute()
    return readMeta(db, "store_id", place)
  })

const hasMeta = async (db: Writer): Promise<boolean> => {
  const found = await sql`select 1 from sqlite_master where type = 'table' and name = 'meta'`.execute(db)
  return found.rows.length > 0
}

const createMeta = async (db: Writer, place: string): Promise<void> => {
  const others = await sql`select 1 from sqlite_master where type = 'table' limit 1`.execute(db)
  if (others.rows.length > 0) throw foreign(place)
  await sql.raw("create table meta (key text primary key, value text not null) strict, without rowid").execute(db)
  await db
    .insertInto("meta")
    .values([
      { key: "schema_version", value: "0" },
      { key: "store_id", value: newStoreId() },
    ])
    .execute()
}

const readMeta = async (db: Writer, key: string, place: string): Promise<string> => {
  const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst()
  if (row === undefined) throw foreign(place)
  return row.value
}

const foreign = (place: string): AdjutantError =>
  new AdjutantError(
    "data_dir_unusable",
    `${place} is a database of another program: choose another data directory or another store.url.`,
  )
