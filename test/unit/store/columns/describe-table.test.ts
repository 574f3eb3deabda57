import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { migrations } from "../../../../store/migrations/migrations.ts"
import { runTable } from "../../../../store/schema/run-table.ts"
import { pauseTable } from "../../../../store/schema/pause-table.ts"
import { deliveryTable } from "../../../../store/schema/delivery-table.ts"
import { bindingTable } from "../../../../store/schema/binding-table.ts"
import { grantTable } from "../../../../store/schema/grant-table.ts"
import { profileTable } from "../../../../store/schema/profile-table.ts"
import { sessionTable } from "../../../../store/schema/session-table.ts"

const tables = {
  sessions: sessionTable,
  runs: runTable,
  pauses: pauseTable,
  deliveries: deliveryTable,
  bindings: bindingTable,
  grants: grantTable,
  profiles: profileTable,
}

/** The columns that the migrations make: names, types, whether null is allowed, and whether there is a value without one in the statement. */
const columnsOf = (table: string): readonly object[] => {
  const database = new DatabaseSync(":memory:")
  for (const statement of migrations.flatMap((migration) => migration.sqlite)) database.exec(statement)
  const rows = database.prepare("select * from pragma_table_info(?)").all(table)
  return rows.map((row) => ({
    name: row["name"],
    stored: row["type"] === "INTEGER" ? "number" : "text",
    isNullable: row["notnull"] === 0 && row["pk"] === 0,
    isGenerated: row["dflt_value"] !== null,
  }))
}

// Of PostgreSQL, postgres/same-schema.test.ts shows that it has the same columns, of the same types.
test.each(Object.entries(tables))("the list of columns of %s is that of the database", (name, { columns, names }) => {
  const described = Object.entries(names).map(([property, column]) => {
    const { stored, isNullable, isGenerated = false } = { ...Reflect.get(columns, property) }
    return { name: column, stored, isNullable, isGenerated: isGenerated && column !== "num" }
  })
  expect(described.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
    columnsOf(name).toSorted((a, b) => String(Reflect.get(a, "name")).localeCompare(String(Reflect.get(b, "name")))),
  )
})

test("fields that a patch omits are not in the statement, and null clears a column", () => {
  expect(sessionTable.changedBy({ finalMessage: null, error: { code: "x", message: "y" }, title: undefined })).toEqual({
    final_message: null,
    error: '{"code":"x","message":"y"}',
  })
})

test("an erase leaves none of a session's texts", () => {
  expect(Object.keys(sessionTable.erased).toSorted()).toEqual(
    ["blocked_by", "caller", "error", "final_message", "internal", "label", "metadata", "title"].toSorted(),
  )
})
