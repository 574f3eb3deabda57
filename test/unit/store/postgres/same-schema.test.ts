import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { expect, test } from "vitest"
import { migrations } from "../../../../store/migrations.ts"
import { openStore } from "../../../../store/open-store.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { createSchema, postgres } from "../../../helpers/store/store-under-test.ts"

/** Names, and whether null is allowed. */
type Columns = readonly string[]

const column = (table: string, name: string, nullable: boolean) => `${table}.${name}${nullable ? "?" : ""}`

const sqliteColumns = (): Columns => {
  const database = new DatabaseSync(":memory:")
  for (const statement of migrations.flatMap((migration) => migration.sqlite)) database.exec(statement)
  const rows = database
    .prepare(
      `select t.name as "table", c.name as name, c."notnull" as required, c.pk as pk from sqlite_master t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'sqlite_%'`,
    )
    .all()
  return rows.map((row) => column(String(row["table"]), String(row["name"]), row["required"] === 0 && row["pk"] === 0))
}

const postgresColumns = async (): Promise<Columns> => {
  const connectionString = await createSchema()
  await (await openStore({ url: connectionString, dataDir: "/nowhere" })).close()
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query(
    "select table_name, column_name, is_nullable from information_schema.columns where table_schema = current_schema() and table_name <> 'meta'",
  )
  await client.end()
  return rows.map((row) => column(row.table_name, row.column_name, row.is_nullable === "YES"))
}

describeWith([postgres()], "the schema", () => {
  test("has the same columns in SQLite and in PostgreSQL", async () => {
    expect((await postgresColumns()).toSorted()).toEqual(sqliteColumns().toSorted())
  })
})
