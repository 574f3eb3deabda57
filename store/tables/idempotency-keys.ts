import type { Selectable } from "kysely"
import type { Database, Writer } from "../database/database.ts"
import type { DatabaseSchema } from "../schema/schema.ts"

export interface IdempotencyKey {
  /** The sender of the request. */
  readonly scope: string
  readonly key: string
}

export interface IdempotencyClaim extends IdempotencyKey {
  /** Fingerprint of the request's content: the same key with another fingerprint is a conflict. */
  readonly fingerprint: string
  /** How long the answer is kept. */
  readonly keepMs: number
  /** A claim without an answer for this long passes to the next request, since its process must have died. */
  readonly leaseMs: number
}

/** `begun`: answer the request, then call `finish` or `release`; `attempt` is the same for every attempt of one request. `answered`: the earlier answer. `conflict`: the key belongs to other content. */
export type IdempotencyState =
  | { readonly kind: "begun"; readonly attempt: string }
  | { readonly kind: "answered"; readonly status: number; readonly body: string }
  | { readonly kind: "conflict" }
  | { readonly kind: "in-progress" }

type Answered = Extract<IdempotencyState, { readonly kind: "answered" }>

type Row = Selectable<DatabaseSchema["idempotency_keys"]>

/** The expiry identifies the request. */
const begun = (expiresAt: number): IdempotencyState => ({ kind: "begun", attempt: String(expiresAt) })

const stateOf = (row: Row, claim: IdempotencyClaim, now: number): IdempotencyState => {
  if (row.fingerprint !== claim.fingerprint) return { kind: "conflict" }
  if (row.status !== null) return { kind: "answered", status: row.status, body: row.body ?? "" }
  return row.claimed_at + claim.leaseMs > now ? { kind: "in-progress" } : begun(row.expires_at)
}

/** Returns false if the key is taken. */
const claimFresh = async (db: Writer, claim: IdempotencyClaim, now: number): Promise<boolean> => {
  const { scope, key, fingerprint, keepMs } = claim
  const result = await db
    .insertInto("idempotency_keys")
    .values({ scope, key, fingerprint, claimed_at: now, expires_at: now + keepMs, status: null, body: null })
    .onConflict((conflict) => conflict.columns(["scope", "key"]).doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

const lock = (db: Writer, { scope, key }: IdempotencyKey): Promise<Row | undefined> =>
  db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("scope", "=", scope)
    .where("key", "=", key)
    .forUpdate()
    .executeTakeFirst()

const setClaimedAt = async (db: Writer, { scope, key }: IdempotencyKey, at: number): Promise<void> => {
  await db
    .updateTable("idempotency_keys")
    .set({ claimed_at: at })
    .where("scope", "=", scope)
    .where("key", "=", key)
    .execute()
}

export const createIdempotencyKeys = (database: Database) => ({
  /** Claims a key. Of several claims at the same time, one begins. */
  begin: (claim: IdempotencyClaim) =>
    database.write(async (db): Promise<IdempotencyState> => {
      const now = database.now()
      await db.deleteFrom("idempotency_keys").where("expires_at", "<=", now).execute()
      if (await claimFresh(db, claim, now)) return begun(now + claim.keepMs)
      const row = await lock(db, claim)
      // The request that had the key has just released it.
      if (row === undefined) return { kind: "in-progress" }
      const state = stateOf(row, claim, now)
      if (state.kind === "begun") await setClaimedAt(db, claim, now)
      return state
    }),

  /** Returns the answer that a key has, without a claim; undefined if it has none. */
  answerOf: ({ scope, key }: IdempotencyKey) =>
    database.read(async (db): Promise<Pick<Answered, "status" | "body"> | undefined> => {
      const row = await db
        .selectFrom("idempotency_keys")
        .select(["status", "body"])
        .where("scope", "=", scope)
        .where("key", "=", key)
        .where("expires_at", ">", database.now())
        .executeTakeFirst()
      return row === undefined || row.status === null ? undefined : { status: row.status, body: row.body ?? "" }
    }),

  finish: async (
    { scope, key }: IdempotencyKey,
    { status, body }: { readonly status: number; readonly body: string },
  ) => {
    await database.write((db) =>
      db
        .updateTable("idempotency_keys")
        .set({ status, body })
        .where("scope", "=", scope)
        .where("key", "=", key)
        .execute(),
    )
  },

  /** Releases a key, as if its request had never begun. */
  release: async ({ scope, key }: IdempotencyKey) => {
    await database.write((db) =>
      db
        .deleteFrom("idempotency_keys")
        .where("scope", "=", scope)
        .where("key", "=", key)
        .where("status", "is", null)
        .execute(),
    )
  },

  /** Passes a key to the next request, as another attempt of the same: whether this one took effect is unknown. */
  suspend: (key: IdempotencyKey) => database.write((db) => setClaimedAt(db, key, 0)),
})
