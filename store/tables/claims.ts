import { type Selectable, sql } from "kysely"
import type { Database, Reader } from "../database/database.ts"
import { toIso } from "../columns/iso-time.ts"
import { lockSession, sessionNum, writeToRun, writeToSession } from "./sessions/lock-session.ts"
import { putMessage } from "./messages/put-message.ts"
import { hasChanged, prepared } from "../database/prepared-query.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import type { Fence } from "./fence.ts"
import type { MessageRow } from "./messages/message-rows.ts"

export interface ClaimRow {
  readonly sessionId: string
  readonly seq: number
  readonly callId: string
  readonly tool: string
  /** Of its name and arguments; null in a claim that an earlier version made. */
  readonly callHash: string | null
  readonly at: string
  readonly done: boolean
  /** Of the attempt that claimed it. */
  readonly fence: Fence
}

/** Counts how often claimed calls were started. */
const createStarts = (database: Database) => ({
  /** Counts one more start of a claimed call, by the attempt with this fence, and returns how often it was started. Undefined if there is no claim. */
  restart: ({ sessionId, seq, fence }: Pick<ClaimRow, "sessionId" | "seq" | "fence">) =>
    writeToSession(database, sessionId, async (db, session) => {
      const row = await db
        .updateTable("claims")
        // Repeated after an outage, the write counts once.
        .set((eb) => ({
          starts: sql<number>`starts + case when last_start = ${fence} then 0 else 1 end`,
          last_start: eb.val(fence),
        }))
        .where("session_num", "=", session)
        .where("seq", "=", seq)
        .returning("starts")
        .executeTakeFirst()
      return row?.starts
    }),

  /** Takes back the start of an attempt that was stopped gracefully. */
  stopped: async ({ sessionId, seq }: Pick<ClaimRow, "sessionId" | "seq">) => {
    await writeToSession(database, sessionId, (db, session) =>
      db
        .updateTable("claims")
        .set((eb) => ({ starts: eb("starts", "-", 1) }))
        .where("session_num", "=", session)
        .where("seq", "=", seq)
        .where("starts", ">", 0)
        .execute(),
    )
  },
})

type NewClaim = Omit<DatabaseSchema["claims"], "starts" | "last_start">

const insertClaim = prepared((db, claim: NewClaim) =>
  db
    .insertInto("claims")
    .values({
      session_num: claim.session_num,
      seq: claim.seq,
      call_id: claim.call_id,
      tool: claim.tool,
      call_hash: claim.call_hash,
      fence: claim.fence,
      at: claim.at,
      done: claim.done,
      last_start: claim.fence,
    })
    // After a workflow reset, the same seq may belong to another call, for which the abandoned call's claim does not apply.
    .onConflict((conflict) =>
      conflict
        .columns(["session_num", "seq"])
        .doUpdateSet((eb) => ({
          call_id: eb.ref("excluded.call_id"),
          tool: eb.ref("excluded.tool"),
          call_hash: eb.ref("excluded.call_hash"),
          fence: eb.ref("excluded.fence"),
          at: eb.ref("excluded.at"),
          done: eb.ref("excluded.done"),
          starts: 1,
          last_start: eb.ref("excluded.last_start"),
        }))
        // A server can give the same id to another call. Without a hash, only the id distinguishes them.
        .where(({ eb, or, ref }) =>
          or([
            eb("excluded.call_id", "!=", ref("claims.call_id")),
            eb("excluded.call_hash", "!=", ref("claims.call_hash")),
          ]),
        )
        .whereRef("excluded.fence", ">", "claims.fence"),
    ),
)

const markDone = prepared((db, claim: Pick<NewClaim, "session_num" | "seq" | "fence">) =>
  db
    .updateTable("claims")
    .set({ done: 1 })
    .where("session_num", "=", claim.session_num)
    .where("seq", "=", claim.seq)
    .where("fence", "<=", claim.fence),
)

export const createClaims = (database: Database) => ({
  ...createStarts(database),

  /**
   * Claims the call whose result belongs at `seq`. If it is claimed already, `claimed` is false and `existing` is that claim: of another attempt, or of
   * this one where it repeats the claim because the answer was lost. `done`: the same transaction writes the result.
   */
  claim: (claim: Omit<ClaimRow, "at" | "done"> & Partial<Pick<ClaimRow, "done">>) =>
    database.write(async (db): Promise<{ claimed: boolean; existing?: ClaimRow }> => {
      const session = await lockSession(db, claim.sessionId)
      if (session === undefined) return { claimed: false }
      const { seq, callId, callHash, tool, fence, done = false } = claim
      const call = { call_id: callId, call_hash: callHash, tool }
      const row = { session_num: session, seq, ...call, fence, done: done ? 1 : 0, at: database.now() }
      if (hasChanged(await insertClaim(db, row))) return { claimed: true }
      const existing = await selectClaim(db, claim)
      return existing === undefined ? { claimed: false } : { claimed: false, existing }
    }),

  /** Marks the claim as done and writes its result row in one transaction. Returns false, and writes nothing, if a later attempt has finished it. */
  finish: async (claim: Pick<ClaimRow, "sessionId" | "seq">, row: Omit<MessageRow, "at">) => {
    const written = { sessionId: claim.sessionId, runId: row.runId }
    const isWritten = await writeToRun(database, written, async (db, session) => {
      if (!(await putMessage(db, { sessionNum: session, row, at: database.now() }))) return false
      await markDone(db, { session_num: session, seq: claim.seq, fence: row.fence })
      return true
    })
    return isWritten === true
  },

  get: (sessionId: string, seq: number) => database.read((db) => selectClaim(db, { sessionId, seq })),
})

const selectClaim = async (
  db: Reader,
  { sessionId, seq }: Pick<ClaimRow, "sessionId" | "seq">,
): Promise<ClaimRow | undefined> => {
  const row = await db
    .selectFrom("claims")
    .selectAll()
    .where("session_num", "=", sessionNum(db, sessionId))
    .where("seq", "=", seq)
    .executeTakeFirst()
  return row === undefined ? undefined : toClaimRow(sessionId, row)
}

const toClaimRow = (sessionId: string, row: Selectable<DatabaseSchema["claims"]>): ClaimRow => ({
  sessionId,
  seq: row.seq,
  callId: row.call_id,
  tool: row.tool,
  callHash: row.call_hash,
  at: toIso(row.at),
  done: row.done === 1,
  fence: row.fence,
})
