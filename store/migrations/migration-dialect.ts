import type { Migration } from "./migration.ts"

/** The statements for a migration in one kind of database. They have no parameters. */
export interface MigrationDialect {
  /** Run first: locks out other migrating processes until the transaction ends. Absent if a transaction does that. */
  readonly lock?: string
  /** Returns a row if the table `meta` exists. */
  readonly findMeta: string
  /** Returns a row if any table exists. */
  readonly findTable: string
  readonly createMeta: string
  readonly statements: (migration: Migration) => readonly string[]
}

export const sqliteMigrations: MigrationDialect = {
  findMeta: "select 1 from sqlite_master where type = 'table' and name = 'meta'",
  findTable: "select 1 from sqlite_master where type = 'table' limit 1",
  createMeta: "create table meta (key text primary key, value text not null) strict, without rowid",
  statements: (migration) => migration.sqlite,
}

/** Selects tables, except those that belong to extensions. */
const ownTable = `select 1 from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
  and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

export const postgresMigrations: MigrationDialect = {
  lock: "select pg_advisory_xact_lock(hashtextextended('adjutant ' || current_schema(), 0))",
  findMeta: `${ownTable} and c.relname = 'meta'`,
  findTable: `${ownTable} limit 1`,
  createMeta: "create table meta (key text primary key, value text not null)",
  statements: (migration) => migration.postgres,
}
