import { randomInt } from "node:crypto"
import { sql } from "kysely"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { idAlphabet } from "../../domain/text/id-alphabet.ts"
import type { Database, Reader, Writer } from "../database/database.ts"
import { longWork } from "../database/time-limit.ts"
import type { MigrationDialect } from "./migration-dialect.ts"
import type { Migration } from "./migration.ts"

export interface MigrationSource {
  readonly migrations: readonly Migration[]
  readonly dialect: MigrationDialect
  /** How errors refer to the store. */
  readonly place: string
}

/**
 * Upgrades the schema to the newest version that the code knows, in one transaction: if two processes start together, one upgrades and the other
 * finds the upgraded schema. Returns the store's id.
 */
export const migrate = (database: Database, source: MigrationSource): Promise<string> =>
  longWork(() => database.write((db) => upgrade(db, source)))

const upgrade = async (db: Writer, { migrations, dialect, place }: MigrationSource): Promise<string> => {
  if (dialect.lock !== undefined) await sql.raw(dialect.lock).execute(db)
  if (!(await finds(db, dialect.findMeta))) await createMeta(db, dialect, place)
  const version = Number(await readMeta(db, "schema_version", place))
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest)
    throw new AdjutantError(
      "data_dir_unusable",
      `the session store ${place} was written by a newer Adjutant (schema ${version}, this version supports ${newest}): upgrade Adjutant or use another data directory`,
    )
  if (version > 0 && version < (migrations[0]?.version ?? 0))
    throw new AdjutantError(
      "data_dir_unusable",
      `the session store ${place} was written by an Adjutant before the first release (schema ${version}), which cannot be upgraded: move it away, or use another data directory or another store.url`,
    )
  for (const migration of migrations.filter((step) => step.version > version)) {
    for (const statement of dialect.statements(migration)) await sql.raw(statement).execute(db)
  }
  if (version < newest)
    await db
      .updateTable("meta")
      .set({ value: String(newest) })
      .where("key", "=", "schema_version")
      .execute()
  return readMeta(db, "store_id", place)
}

/** Returns the store's id; undefined if its schema is not the newest that the code knows. Changes nothing. */
export const findStoreId = (
  database: Database,
  { migrations, dialect, place }: MigrationSource,
): Promise<string | undefined> =>
  database.read(async (db) => {
    if (!(await finds(db, dialect.findMeta))) return undefined
    const version = Number(await readMeta(db, "schema_version", place))
    return version === migrations.at(-1)?.version ? await readMeta(db, "store_id", place) : undefined
  })

/** Returns whether a database contains a store, of whichever version. Changes nothing. */
export const isStore = (database: Database, { findMeta }: MigrationDialect): Promise<boolean> =>
  database.read((db) => finds(db, findMeta))

const finds = async (db: Reader, query: string): Promise<boolean> => (await sql.raw(query).execute(db)).rows.length > 0

const createMeta = async (db: Writer, dialect: MigrationDialect, place: string): Promise<void> => {
  if (await finds(db, dialect.findTable)) throw foreign(place)
  await sql.raw(dialect.createMeta).execute(db)
  await db
    .insertInto("meta")
    .values([
      { key: "schema_version", value: "0" },
      { key: "store_id", value: newStoreId() },
    ])
    .execute()
}

/** Returns 8 random characters of `[a-z0-9]`. */
const newStoreId = (): string =>
  Array.from({ length: 8 }, () => idAlphabet.charAt(randomInt(idAlphabet.length))).join("")

const readMeta = async (db: Reader, key: string, place: string): Promise<string> => {
  const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst()
  if (row === undefined) throw foreign(place)
  return row.value
}

const foreign = (place: string): AdjutantError =>
  new AdjutantError(
    "data_dir_unusable",
    `${place} is a database of another program: use another data directory or another store.url`,
  )
