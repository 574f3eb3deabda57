import { ApplicationFailure } from "@temporalio/activity"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import {
  approachedData,
  approachedText,
  type CallerCaps,
  dailyLimitText,
  fitsLater,
  hasDailyCap,
  type LimitUse,
  limitUseText,
} from "../../domain/limits/daily-limits.ts"
import type { NextCall } from "../../domain/limits/prompt/next-call.ts"
import { worstCaseMicroUsd, worstCaseTokens } from "../../domain/limits/usage-cost.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"

/** The key of a reservation. The ledger counts a call under the same step. */
export interface Reserved {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
}

/** A call that may have waited before. */
export interface ReservedWait extends Reserved {
  /** Since when the run waits; null: it does not. */
  readonly waitsSince: string | null
  /** Attempts of the step so far. */
  readonly failedAttempts: number
}

type ReserveDependencies = Pick<AgentDependencies, "store" | "dailyCaps" | "logger" | "streamed">

const worstCase = (call: NextCall, { price, model }: ModelSpec, needsPrice: boolean) => {
  const microUsd = worstCaseMicroUsd(call, price)
  if (microUsd === null && needsPrice)
    throw ApplicationFailure.nonRetryable(
      `the price of model ${model} is unknown, which a daily limit in US dollars requires: add it to prices, or set limits.tokensPerDay instead`,
      "price_unknown",
    )
  return { microUsd: microUsd ?? 0, tokens: worstCaseTokens(call) }
}

/** Why a call was not reserved: its limit is used up, or it waits for what calls of others have reserved. */
export type Unreserved =
  | { readonly kind: "budget-exhausted"; readonly reason: string }
  | Extract<CallModelResult, { kind: "rate-limited" }>

const shortestDayWaitMs = 1_000
const longestDayWaitMs = 30_000

/** Returns how long a call waits for the calls of others: the longer it has waited, the less often it asks. */
const waitMsAfter = (waitedMs: number): number => Math.min(longestDayWaitMs, Math.max(shortestDayWaitMs, waitedMs / 4))

/** Notes that a call waits for the calls of others, which release most of what they have reserved when they end. */
const waitForOthers = async (
  { store }: ReserveDependencies,
  { sessionId, waitsSince, failedAttempts }: ReservedWait,
  exceeded: LimitUse,
): Promise<Unreserved> => {
  const nowMs = Date.now()
  const since = waitsSince ?? new Date(nowMs).toISOString()
  const waitMs = waitMsAfter(nowMs - Date.parse(since))
  const next_at = new Date(nowMs + waitMs).toISOString()
  const blockedBy = { type: "daily_limit", since, reason: limitUseText(exceeded), next_at } as const
  await store.sessions.patch(sessionId, { blockedBy })
  return { kind: "rate-limited", waitMs, since, failedAttempts }
}

/** Returns the limits of the caller that started the tree of a session; undefined if it has none. */
const callerCapsOf = async (
  { store, dailyCaps: { callers } }: ReserveDependencies,
  sessionId: string,
): Promise<CallerCaps | undefined> => {
  if (callers === undefined) return undefined
  const caller = await store.usage.callerOf(sessionId)
  const caps = callers[caller]
  return caps === undefined ? undefined : { caller, caps }
}

/**
 * Reserves the most that a model call can use, within the daily limits of the store and of the caller. Returns why the call is not made now; undefined if it is reserved.
 * Warns once a day that a limit comes near.
 */
export const reserveCall = async (
  deps: ReserveDependencies,
  reserved: ReservedWait,
  {
    call,
    spec,
    shownStep = reserved.step,
  }: { readonly call: NextCall; readonly spec: ModelSpec; readonly shownStep?: number },
): Promise<Unreserved | undefined> => {
  const { store, dailyCaps, logger, streamed } = deps
  const { sessionId, runId, step } = reserved
  if (!hasDailyCap(dailyCaps)) return undefined
  // A limit that comes near is shown in the step that has begun.
  await streamed.flush(sessionId)
  const own = await callerCapsOf(deps, sessionId)
  const isUsdLimited = dailyCaps.microUsd !== null || (own?.caps.microUsd ?? null) !== null
  const amounts = worstCase(call, spec, isUsdLimited)
  const reservation = await store.transaction(async (writes) => {
    const answer = await writes.dailyUsage.reserve({ sessionId, runId, step, ...amounts }, dailyCaps, own)
    if (answer.isReserved)
      for (const use of answer.approached)
        await writes.events.append(sessionId, [
          { type: "limit-approached", runId, data: { step: shownStep, ...approachedData(use, answer.day) } },
        ])
    return answer
  }, "crash")
  if (!reservation.isReserved) {
    const { exceeded } = reservation
    return fitsLater(exceeded)
      ? await waitForOthers(deps, reserved, exceeded)
      : { kind: "budget-exhausted", reason: dailyLimitText(exceeded) }
  }
  if (reserved.waitsSince !== null) await store.sessions.patch(sessionId, { blockedBy: null })
  for (const use of reservation.approached) logger.warn({ session_id: sessionId }, approachedText(use))
  return undefined
}

/** Removes the reservation of a call that failed. */
export const releaseCall = async (
  { store, dailyCaps }: ReserveDependencies,
  { sessionId, runId, step }: Reserved,
): Promise<void> => {
  if (hasDailyCap(dailyCaps)) await store.dailyUsage.release({ sessionId, runId, step })
}
