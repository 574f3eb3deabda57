import { randomUUID } from "node:crypto"
import type { RememberedEngine } from "../../domain/engine/engine-identity.ts"
import type { Database, Reader, Writer } from "../database/database.ts"
import { toIso } from "../columns/iso-time.ts"
import { fromJson, toJson } from "../columns/json-column.ts"
import { type AuditRow, insertAudit } from "../tables/audit.ts"
import type { Acting, NewEngine } from "./engine-rows.ts"

/** The key in `meta`. */
const key = "engine"

const read = async (db: Reader): Promise<RememberedEngine | undefined> => {
  const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst()
  return row === undefined ? undefined : fromJson<RememberedEngine>(row.value)
}

const remembered = (engine: NewEngine, at: number): RememberedEngine => ({
  namespaceId: engine.namespaceId,
  namespace: engine.namespace,
  address: engine.address,
  scheduleCreatedAt: engine.scheduleCreatedAt,
  claimId: randomUUID(),
  since: toIso(at),
})

const insert = async (db: Writer, engine: RememberedEngine): Promise<boolean> => {
  const result = await db
    .insertInto("meta")
    .values({ key, value: toJson(engine) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Replaces the engine if it is unchanged; compares the whole text, so that one of two concurrent writers fails. */
const replace = async (db: Writer, from: RememberedEngine, to: RememberedEngine): Promise<boolean> => {
  const result = await db
    .updateTable("meta")
    .set({ value: toJson(to) })
    .where("key", "=", key)
    .where("value", "=", toJson(from))
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Creates access to the engine that the store belongs to. */
export const createEngineMemory = (database: Database) => ({
  read: () => database.read(read),

  /** Remembers the engine if none is remembered yet, and returns the remembered one: concurrent claims all get the same. */
  claim: (engine: NewEngine) =>
    database.write(async (db) => {
      const claimed = remembered(engine, database.now())
      return (await insert(db, claimed)) ? claimed : ((await read(db)) ?? claimed)
    }),

  /** Adds facts about the engine with this claim; changes nothing if the claim is another one. */
  learn: (claimId: string, facts: Partial<Pick<NewEngine, "namespaceId" | "scheduleCreatedAt">>) =>
    database.write(async (db) => {
      const known = await read(db)
      if (known?.claimId !== claimId) return
      await replace(db, known, { ...known, ...facts })
    }),

  /**
   * Replaces the engine, with an audit entry in the same transaction. Returns undefined, without writing, if another process has replaced `from` in the
   * meantime; null means none.
   */
  move: (from: string | null, engine: NewEngine, entry: Acting & Pick<AuditRow, "detail">) =>
    database.write(async (db) => {
      const at = database.now()
      const known = await read(db)
      if ((known?.claimId ?? null) !== from) return undefined
      const moved = remembered(engine, at)
      const isWritten = known === undefined ? await insert(db, moved) : await replace(db, known, moved)
      if (!isWritten) return undefined
      await insertAudit(db, at, { sessionId: "", runId: null, action: "engine-move", ...entry })
      return moved
    }),
})
