import type { Selectable } from "kysely"
import type { Database, Writer } from "./database.ts"
import type { IdempotencyKeysTable } from "./schema.ts"
import type { IdempotencyClaim, IdempotencyKey, IdempotencyKeys, IdempotencyState } from "./store.ts"

type Row = Selectable<IdempotencyKeysTable>

const stateOf = (row: Row, claim: IdempotencyClaim, now: number): IdempotencyState => {
  if (row.fingerprint !== claim.fingerprint) return { kind: "conflict" }
  if (row.status !== null) return { kind: "answered", status: row.status, body: row.body ?? "" }
  return row.claimed_at + claim.leaseMs > now ? { kind: "in-progress" } : { kind: "begun" }
}

const find = (db: Writer, { scope, key }: IdempotencyKey): Promise<Row | undefined> =>
  db.selectFrom("idempotency_keys").selectAll().where("scope", "=", scope).where("key", "=", key).executeTakeFirst()

const put = async (db: Writer, claim: IdempotencyClaim, now: number): Promise<void> => {
  const { scope, key, fingerprint, keepMs } = claim
  const row = { fingerprint, claimed_at: now, expires_at: now + keepMs, status: null, body: null }
  await db
    .insertInto("idempotency_keys")
    .values({ scope, key, ...row })
    .onConflict((conflict) => conflict.columns(["scope", "key"]).doUpdateSet(row))
    .execute()
}

export const createIdempotencyKeys = (database: Database): IdempotencyKeys => ({
  begin: (claim) =>
    database.write(async (db) => {
      const now = database.now()
      await db.deleteFrom("idempotency_keys").where("expires_at", "<=", now).execute()
      const row = await find(db, claim)
      const state: IdempotencyState = row === undefined ? { kind: "begun" } : stateOf(row, claim, now)
      if (state.kind === "begun") await put(db, claim, now)
      return state
    }),

  finish: async ({ scope, key }, { status, body }) => {
    await database.write((db) =>
      db
        .updateTable("idempotency_keys")
        .set({ status, body })
        .where("scope", "=", scope)
        .where("key", "=", key)
        .execute(),
    )
  },

  release: async ({ scope, key }) => {
    await database.write((db) =>
      db
        .deleteFrom("idempotency_keys")
        .where("scope", "=", scope)
        .where("key", "=", key)
        .where("status", "is", null)
        .execute(),
    )
  },
})
