import {
  type Amounts,
  approachedLimits,
  type CallerCaps,
  type DailyCaps,
  dayOf,
  exceededLimit,
  type LimitUse,
} from "../../../domain/limits/daily-limits.ts"
import { dayMs } from "../../../domain/text/duration.ts"
import { sql } from "kysely"
import type { Database, Reader, Writer } from "../../database/database.ts"
import { prepared } from "../../database/prepared-query.ts"
import { writeToRun } from "../sessions/lock-session.ts"
import { runNumber } from "../sessions/run-number.ts"
import { callerOf } from "./caller-of.ts"
import { deleteOfRun } from "./delete-of-run.ts"

/** A model call, and the most that it can use. */
export interface ReservedCall extends Amounts {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
}

/** Whether a call was reserved, and the limits that came near with it for the first time on its day. */
export type Reservation =
  | { readonly isReserved: true; readonly day: number; readonly approached: readonly LimitUse[] }
  | { readonly isReserved: false; readonly exceeded: LimitUse }

const addDay = (db: Writer, day: number) =>
  db
    .insertInto("daily_usage")
    .values({ day })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute()

/** Reads the totals of a day. `isLocked`: nobody else can reserve until this transaction ends. */
const readDay = async (db: Reader, day: number, isLocked: boolean) => {
  const query = db.selectFrom("daily_usage").selectAll().where("day", "=", day)
  const row = await (isLocked ? query.forUpdate() : query).executeTakeFirst()
  const sums = await db
    .selectFrom("call_reservations")
    .where("day", "=", day)
    .select(({ fn }) => [
      fn.sum<number | null>("micro_usd").as("microUsd"),
      fn.sum<number | null>("tokens").as("tokens"),
    ])
    .executeTakeFirstOrThrow()
  return {
    used: { microUsd: Number(row?.micro_usd ?? 0), tokens: Number(row?.tokens ?? 0) },
    reserved: { microUsd: Number(sums.microUsd ?? 0), tokens: Number(sums.tokens ?? 0) },
    warned: { microUsd: Number(row?.warned_usd ?? 0) === 1, tokens: Number(row?.warned_tokens ?? 0) === 1 },
  }
}

/** Reads what counts against the limits of a caller: its calls since the day began, and the reservations of those that run now. */
const readCaller = async (db: Reader, caller: string, day: number) => {
  const used = await db
    .selectFrom("usage")
    .where("caller", "=", caller)
    .where("at", ">=", day * dayMs)
    .select(({ fn }) => [
      fn.sum<number | null>("cost_micro_usd").as("microUsd"),
      sql<number | null>`sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens)`.as("tokens"),
    ])
    .executeTakeFirstOrThrow()
  const reserved = await db
    .selectFrom("call_reservations")
    .where("day", "=", day)
    .where(({ ref }) => sql<boolean>`${callerOf(ref("call_reservations.session_num"))} = ${caller}`)
    .select(({ fn }) => [
      fn.sum<number | null>("micro_usd").as("microUsd"),
      fn.sum<number | null>("tokens").as("tokens"),
    ])
    .executeTakeFirstOrThrow()
  const amounts = (sums: typeof used): Amounts => ({
    microUsd: Number(sums.microUsd ?? 0),
    tokens: Number(sums.tokens ?? 0),
  })
  return { used: amounts(used), reserved: amounts(reserved) }
}

interface CallRow {
  readonly session: number
  readonly run: number
  readonly step: number
}

const deleteReservation = (db: Writer, { session, run, step }: CallRow) =>
  db
    .deleteFrom("call_reservations")
    .where("session_num", "=", session)
    .where("run_num", "=", run)
    .where("step", "=", step)

const reserveCall = async (
  db: Writer,
  { row, call, day }: { readonly row: CallRow; readonly call: Amounts; readonly day: number },
  caps: DailyCaps,
  own?: CallerCaps,
): Promise<Reservation> => {
  await addDay(db, day)
  await deleteReservation(db, row).execute()
  const { warned, ...use } = await readDay(db, day, true)
  const exceeded = exceededLimit(caps, use, call)
  if (exceeded !== undefined) return { isReserved: false, exceeded }
  const ownExceeded =
    own === undefined ? undefined : exceededLimit(own.caps, await readCaller(db, own.caller, day), call)
  if (ownExceeded !== undefined)
    return { isReserved: false, exceeded: { ...ownExceeded, ...(own === undefined ? {} : { caller: own.caller }) } }
  await db
    .insertInto("call_reservations")
    .values({
      session_num: row.session,
      run_num: row.run,
      step: row.step,
      day,
      micro_usd: call.microUsd,
      tokens: call.tokens,
    })
    .execute()
  const approached = approachedLimits(caps, use, call).filter(({ unit }) => !warned[unit])
  for (const { unit } of approached)
    await db
      .updateTable("daily_usage")
      .set(unit === "microUsd" ? { warned_usd: 1 } : { warned_tokens: 1 })
      .where("day", "=", day)
      .execute()
  return { isReserved: true, day, approached }
}

const addToDay = prepared((db, added: Amounts & { readonly day: number }) =>
  db
    .insertInto("daily_usage")
    .values({ day: added.day, micro_usd: added.microUsd, tokens: added.tokens })
    .onConflict((conflict) =>
      conflict.column("day").doUpdateSet((eb) => ({
        micro_usd: eb("daily_usage.micro_usd", "+", eb.ref("excluded.micro_usd")),
        tokens: eb("daily_usage.tokens", "+", eb.ref("excluded.tokens")),
      })),
    ),
)

interface Settled extends Amounts {
  readonly at: number
  /** False: the call is known to have no reservation. */
  readonly isReserved: boolean
}

/**
 * Adds what a call used to the totals of its day, in place of its reservation. It is part of the transaction that records the usage, which has locked the
 * session. Every transaction locks the session first and the day second, so that two of them never wait for each other.
 */
export const settleCall = async (db: Writer, row: CallRow, added: Settled): Promise<void> => {
  const reserved = added.isReserved ? await deleteReservation(db, row).returning("day").executeTakeFirst() : undefined
  const day = reserved?.day ?? dayOf(added.at)
  await addToDay(db, { day, microUsd: added.microUsd, tokens: added.tokens })
}

/** Counts what all runs of the store use each day, in UTC. A call counts to the day on which it was reserved. */
export const createDailyUsage = (database: Database) => ({
  /**
   * Reserves what a call can use, if it fits into what is left of the day, for the store and for the caller that has limits of its own. Replaces a
   * reservation of the same step. Atomic over all processes.
   */
  reserve: async (call: ReservedCall, caps: DailyCaps, own?: CallerCaps): Promise<Reservation> => {
    const day = dayOf(database.now())
    const answer = await writeToRun(database, call, async (db, session) => {
      const row = { session, run: await runNumber(db, session, call.runId), step: call.step }
      return reserveCall(db, { row, call, day }, caps, own)
    })
    return answer ?? { isReserved: true, day, approached: [] }
  },

  /** Removes the reservation of a call that ended without an answer. */
  release: async (call: Pick<ReservedCall, "sessionId" | "runId" | "step">) => {
    await writeToRun(database, call, async (db, session) =>
      deleteReservation(db, { session, run: await runNumber(db, session, call.runId), step: call.step }).execute(),
    )
  },

  /** Removes the reservations of a run that has ended. */
  releaseRun: (run: Pick<ReservedCall, "sessionId" | "runId">) => deleteOfRun(database, "call_reservations", run),

  today: () => {
    const day = dayOf(database.now())
    return database.read(async (db) => {
      const { used, reserved } = await readDay(db, day, false)
      return { day, used, reserved }
    })
  },
})
