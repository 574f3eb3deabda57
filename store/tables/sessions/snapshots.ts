import { createHash } from "node:crypto"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { Database } from "../../database.ts"
import { canonicalJson } from "../../../domain/canonical-json.ts"
import { fromJson } from "../../columns/json-column.ts"

export interface Snapshots {
  /** Stores a snapshot, once per content; returns its hash (SHA-256, hex). */
  put(snapshot: RunSnapshot): Promise<string>
  get(hash: string): Promise<RunSnapshot | undefined>
}

export const createSnapshots = (database: Database): Snapshots => ({
  put: async (snapshot) => {
    const body = canonicalJson(snapshot)
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

  get: async (hash) => {
    const row = await database.read((db) =>
      db.selectFrom("snapshots").select("body").where("hash", "=", hash).executeTakeFirst(),
    )
    return row === undefined ? undefined : fromJson<RunSnapshot>(row.body)
  },
})
