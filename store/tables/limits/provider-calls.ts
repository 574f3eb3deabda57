import { createHash } from "node:crypto"
import { type KeyCall, longestWaitMs, planCall } from "../../../domain/limits/provider/plan-call.ts"
import {
  afterRefusal,
  type KeyUse,
  type ProviderLimits,
  useAt,
  withCall,
  withoutCall,
} from "../../../domain/limits/provider/provider-limits.ts"
import type { Database, Writer } from "../../database/database.ts"
import { writeToRun } from "../sessions/lock-session.ts"
import { runNumber } from "../sessions/run-number.ts"
import { deleteOfRun } from "./delete-of-run.ts"

/** A model call: one per step of a run. */
export interface ProviderCall {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
}

/** A key, by what names it, and its limits. */
export interface LimitedKey {
  readonly key: string
  readonly limits: ProviderLimits
}

export interface CallRequest extends LimitedKey {
  /** Tokens that the call is expected to use. */
  readonly tokens: number
  /** How long the call counts after its worker last reported that it is running. */
  readonly leaseMs: number
}

/** How a call ended. */
export interface EndedCall extends LimitedKey {
  /** Tokens that it used; undefined: as expected. */
  readonly tokens: number | undefined
  /** The provider refused it because of its rate: how long no other call starts. */
  readonly refusedForMs?: number
}

type ReservedCall = { readonly isReserved: true } | { readonly isReserved: false; readonly waitMs: number }

/** A waiting call that asks again later than this has lost its place in the queue: its worker is probably gone. */
const lateMs = 15_000
/** How long a call is expected to take before any call of the key has ended. */
const unknownCallMs = 10_000
/** Weight of the latest call in the average of how long calls take. */
const latestShare = 0.2

const keyHash = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 32)

interface KeyRow {
  readonly use: KeyUse
  readonly callMs: number
  readonly nextTicket: number
}

/** Reads a key's row and locks it: nobody else reserves until the transaction ends. */
const lockKey = async (db: Writer, key: string): Promise<KeyRow> => {
  await db
    .insertInto("provider_keys")
    .values({ provider_key: key })
    .onConflict((conflict) => conflict.column("provider_key").doNothing())
    .execute()
  const row = await db
    .selectFrom("provider_keys")
    .selectAll()
    .where("provider_key", "=", key)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const { requests, tokens, at: atMs, blocked_until: blockedUntilMs } = row
  return { use: { requests, tokens, atMs, blockedUntilMs }, callMs: row.call_ms, nextTicket: row.next_ticket }
}

const writeKey = async (db: Writer, key: string, { use, callMs, nextTicket }: KeyRow): Promise<void> => {
  const { requests, tokens, atMs, blockedUntilMs } = use
  await db
    .updateTable("provider_keys")
    .set({
      requests,
      tokens,
      at: Math.round(atMs),
      blocked_until: Math.round(blockedUntilMs),
      call_ms: Math.round(callMs),
      next_ticket: nextTicket,
    })
    .where("provider_key", "=", key)
    .execute()
}

interface CallId {
  readonly session: number
  readonly run: number
  readonly step: number
}

const deleteCall = (db: Writer, { session, run, step }: CallId) =>
  db.deleteFrom("provider_calls").where("session_num", "=", session).where("run_num", "=", run).where("step", "=", step)

/** Removes the call's row and returns it; undefined if it has none for this key. */
const takeCall = async (db: Writer, id: CallId, key: string): Promise<KeyCall | undefined> => {
  const row = await deleteCall(db, id).returningAll().executeTakeFirst()
  return row?.provider_key === key ? toCall(row) : undefined
}

const toCall = (row: { ticket: number; calling: number; start_at: number; tokens: number }): KeyCall => ({
  ticket: row.ticket,
  isCalling: row.calling === 1,
  startMs: row.start_at,
  tokens: row.tokens,
})

/**
 * Corrects calls that lapse later than any call can: the clock was set back since they were written. Without this, their rows would stay until the clock
 * is there again. Calls that run are reported again or lapse, and calls that wait keep their places.
 */
const moveBack = (db: Writer, key: string, latestMs: number) =>
  db
    .updateTable("provider_calls")
    .set((eb) => ({ start_at: eb("start_at", "-", eb("lapses_at", "-", latestMs)), lapses_at: latestMs }))
    .where("provider_key", "=", key)
    .where("lapses_at", ">", latestMs)
    .execute()

const readOthers = async (db: Writer, key: string, nowMs: number): Promise<readonly KeyCall[]> => {
  await db.deleteFrom("provider_calls").where("provider_key", "=", key).where("lapses_at", "<", nowMs).execute()
  const rows = await db.selectFrom("provider_calls").selectAll().where("provider_key", "=", key).execute()
  return rows.map(toCall)
}

const reserveCall = async (
  db: Writer,
  id: CallId,
  { key, limits, tokens, leaseMs, now }: CallRequest & { readonly now: Database["sharedNow"] },
): Promise<ReservedCall> => {
  const row = await lockKey(db, key)
  const nowMs = await now(db)
  await moveBack(db, key, Math.round(nowMs + Math.max(leaseMs, longestWaitMs + lateMs)))
  const own = await takeCall(db, id, key)
  const others = await readOthers(db, key, nowMs)
  const callMs = row.callMs === 0 ? unknownCallMs : row.callMs
  const plan = planCall({ limits, use: row.use, callMs, others, own, tokens, nowMs })
  await writeKey(db, key, { ...row, use: plan.use, nextTicket: row.nextTicket + (own === undefined ? 1 : 0) })
  await db
    .insertInto("provider_calls")
    .values({
      session_num: id.session,
      run_num: id.run,
      step: id.step,
      provider_key: key,
      ticket: own?.ticket ?? row.nextTicket,
      calling: plan.isStarted ? 1 : 0,
      start_at: Math.round(plan.isStarted ? nowMs : plan.startMs),
      lapses_at: Math.round(nowMs + (plan.isStarted ? leaseMs : plan.waitMs + lateMs)),
      tokens,
    })
    .execute()
  return plan.isStarted ? { isReserved: true } : { isReserved: false, waitMs: plan.waitMs }
}

const settleCall = async (
  db: Writer,
  id: CallId,
  { key, limits, tokens, refusedForMs, now }: EndedCall & { readonly now: Database["sharedNow"] },
): Promise<void> => {
  const row = await lockKey(db, key)
  const nowMs = await now(db)
  const call = await takeCall(db, id, key)
  const before = useAt(row.use, limits, nowMs)
  // A call without a row was never reserved, or its row lapsed because its worker reported nothing for too long.
  const used =
    call === undefined
      ? withCall(before, tokens ?? 0)
      : { ...before, tokens: Math.max(0, before.tokens + (tokens ?? call.tokens) - call.tokens) }
  const use = refusedForMs === undefined ? used : afterRefusal(used, limits, nowMs + refusedForMs)
  const tookMs = call === undefined ? undefined : Math.max(1, nowMs - call.startMs)
  const usualMs = row.callMs === 0 ? tookMs : row.callMs
  const callMs = tookMs === undefined || usualMs === undefined ? row.callMs : usualMs + (tookMs - usualMs) * latestShare
  await writeKey(db, key, { ...row, use, callMs })
}

const cancelCall = async (
  db: Writer,
  id: CallId,
  { key, limits, now }: LimitedKey & { readonly now: Database["sharedNow"] },
): Promise<void> => {
  const row = await lockKey(db, key)
  const nowMs = await now(db)
  const call = await takeCall(db, id, key)
  if (call?.isCalling === true)
    await writeKey(db, key, { ...row, use: withoutCall(useAt(row.use, limits, nowMs), call.tokens) })
}

/** Counts calls against the limits of providers' keys, which all workers of the store share. */
export const createProviderCalls = (database: Database) => {
  const now: Database["sharedNow"] = (db) => database.sharedNow(db)
  const writeCall = <T>(
    { sessionId, runId, step }: ProviderCall,
    write: (db: Writer, id: CallId) => Promise<T>,
  ): Promise<T | undefined> =>
    writeToRun(database, { sessionId, runId }, async (db, session) =>
      write(db, { session, run: await runNumber(db, session, runId), step }),
    )
  return {
    /** Starts a call, or gives it a time to ask again. Replaces an earlier request of the same step. Atomic over all processes. */
    reserve: async (call: ProviderCall, { key, ...request }: CallRequest): Promise<ReservedCall> => {
      const answer = await writeCall(call, (db, id) => reserveCall(db, id, { ...request, key: keyHash(key), now }))
      return answer ?? { isReserved: true }
    },

    /** Reports that a call is running. */
    renew: async (call: ProviderCall, leaseMs: number) => {
      await writeCall(call, async (db, { session, run, step }) => {
        const lapses_at = Math.round((await now(db)) + leaseMs)
        await db
          .updateTable("provider_calls")
          .set({ lapses_at })
          .where("session_num", "=", session)
          .where("run_num", "=", run)
          .where("step", "=", step)
          .where("calling", "=", 1)
          .execute()
      })
    },

    /** Ends a call, with what it used. */
    settle: async (call: ProviderCall, { key, ...end }: EndedCall) => {
      await writeCall(call, (db, id) => settleCall(db, id, { ...end, key: keyHash(key), now }))
    },

    /** Takes back a call that was started but not made. */
    cancel: async (call: ProviderCall, { key, limits }: LimitedKey) => {
      await writeCall(call, (db, id) => cancelCall(db, id, { key: keyHash(key), limits, now }))
    },

    /** Ends the calls of a run that has ended, and gives up their places in the queue. */
    releaseRun: (run: Pick<ProviderCall, "sessionId" | "runId">) => deleteOfRun(database, "provider_calls", run),
  }
}
