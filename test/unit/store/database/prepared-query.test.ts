import { expect, test } from "vitest"
import { hasChanged, prepared } from "../../../../store/database/prepared-query.ts"
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely"
import type { CompiledQuery } from "kysely"
import type { DatabaseSchema } from "../../../../store/schema/schema.ts"

/** Returns a database that executes nothing, and the queries that it was sent. */
const recorded = () => {
  const sent: CompiledQuery[] = []
  const db = new Kysely<DatabaseSchema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => {
      sent.push(query)
    },
  })
  return { db, sent }
}

test("builds a query once for each database and shape, and sends it with the values of each call", async () => {
  let built = 0
  const select = prepared((db, { seq, step }: { seq: number; step: number }, shape) => {
    built += 1
    const after = db.selectFrom("messages").select("body").where("seq", ">", seq).where("fence", "=", 7)
    return shape === "step" ? after.where("step", "=", step) : after
  })
  const { db, sent } = recorded()
  await select(db, { seq: 1, step: 2 })
  await db.transaction().execute((trx) => select(trx, { seq: 3, step: 4 }))
  await select(db, { seq: 5, step: 6 }, "step")
  expect(built).toBe(2)
  const sql = 'select "body" from "messages" where "seq" > ? and "fence" = ?'
  expect(sent.map((query) => [query.sql, query.parameters])).toEqual([
    [sql, [1, 7]],
    [sql, [3, 7]],
    [`${sql} and "step" = ?`, [5, 7, 6]],
  ])
  await select(recorded().db, { seq: 1, step: 1 })
  expect(built).toBe(3)
})

test("passes null, bytes and texts on as they are", async () => {
  const values = { id: "x", data: new Uint8Array([1]), refused_by: null }
  const update = prepared((db, given: typeof values) =>
    db
      .updateTable("media")
      .set({ data: given.data })
      .where("id", "=", given.id)
      .where("refused_by", "is", given.refused_by),
  )
  const { db, sent } = recorded()
  await update(db, values)
  expect(sent[0]?.parameters).toEqual([values.data, "x", null])
})

test("says whether a query has changed a row", () => {
  expect(
    [{}, { numAffectedRows: 0n }, { numAffectedRows: 2n }].map((result) => hasChanged({ rows: [], ...result })),
  ).toEqual([false, false, true])
})
