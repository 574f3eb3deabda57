import { createHash } from "node:crypto"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { Database } from "../../database/database.ts"
import { canonicalJson } from "../../../domain/text/json/canonical-json.ts"
import { fromJson } from "../../columns/json-column.ts"

/** A tool in the list of a run, as its model sees it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Values that never change, stored once per content. */
const createContents = <Value>(database: Database, textOf: (value: Value) => string) => ({
  /** Stores a value, once per content; returns its hash (SHA-256, hex). */
  put: async (value: Value) => {
    const body = textOf(value)
    const hash = createHash("sha256").update(body).digest("hex")
    await database.write((db) =>
      db
        .insertInto("snapshots")
        .values({ hash, body })
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .execute(),
    )
    return hash
  },

  get: async (hash: string) => {
    const row = await database.read((db) =>
      db.selectFrom("snapshots").select("body").where("hash", "=", hash).executeTakeFirst(),
    )
    return row === undefined ? undefined : fromJson<Value>(row.body)
  },
})

export const createSnapshots = (database: Database) => createContents<RunSnapshot>(database, canonicalJson)

/** Creates the table of tool lists. Keys keep their order, since a request with another order would not be found in the provider's cache. */
export const createToolLists = (database: Database) =>
  createContents<readonly ListedTool[]>(database, (tools) => JSON.stringify(tools))
