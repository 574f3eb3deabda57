import { DatabaseSync } from "node:sqlite"
import pg from "pg"
import { expect, test } from "vitest"
import { migrations } from "../../../../store/migrations/migrations.ts"
import { openStore } from "../../../../store/open-store.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { createSchema, postgres } from "../../../helpers/store/store-under-test.ts"

/** Names, what is stored, and whether null is allowed. */
type Columns = readonly string[]

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
}

/** Types that columns of either kind may have. */
const kinds: Readonly<Record<string, string>> = {
  ...{ INTEGER: "number", bigint: "number", integer: "number", smallint: "number" },
  ...{ REAL: "fraction", "double precision": "fraction" },
  ...{ TEXT: "text", text: "text" },
  ...{ BLOB: "bytes", bytea: "bytes" },
}

const shown = ({ table, name, type, isNullable }: Column): string =>
  `${table}.${name}: ${kinds[type] ?? type}${isNullable ? "?" : ""}`

const sqliteColumns = (): Columns => {
  const database = new DatabaseSync(":memory:")
  for (const statement of migrations.flatMap((migration) => migration.sqlite)) database.exec(statement)
  const rows = database
    .prepare(
      `select t.name as "table", c.name as name, c.type as type, c."notnull" as required, c.pk as pk from sqlite_master t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'sqlite_%'`,
    )
    .all()
  return rows.map((row) =>
    shown({
      table: String(row["table"]),
      name: String(row["name"]),
      type: String(row["type"]),
      isNullable: row["required"] === 0 && row["pk"] === 0,
    }),
  )
}

const postgresColumns = async (): Promise<Columns> => {
  const connectionString = await createSchema()
  await (await openStore({ url: connectionString, dataDir: "/nowhere" })).close()
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query(
    "select table_name, column_name, data_type, is_nullable from information_schema.columns where table_schema = current_schema() and table_name <> 'meta'",
  )
  await client.end()
  return rows.map((row) =>
    shown({
      table: row.table_name,
      name: row.column_name,
      type: row.data_type,
      isNullable: row.is_nullable === "YES",
    }),
  )
}

describeWith([postgres()], "the schema", () => {
  test("has the same columns, of the same types, in SQLite and in PostgreSQL", async () => {
    expect((await postgresColumns()).toSorted()).toEqual(sqliteColumns().toSorted())
  })
})
