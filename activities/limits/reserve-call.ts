import { ApplicationFailure } from "@temporalio/activity"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { approachedData, approachedText, exceededText, hasDailyCap } from "../../domain/limits/daily-limits.ts"
import type { NextCall } from "../../domain/limits/prompt/next-call.ts"
import { worstCaseMicroUsd, worstCaseTokens } from "../../domain/limits/usage-cost.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** The key of a reservation. The ledger counts a call under the same step. */
export interface Reserved {
  readonly sessionId: string
  readonly runId: string
  readonly step: number
}

type ReserveDependencies = Pick<AgentDependencies, "store" | "dailyCaps" | "logger">

const worstCase = (call: NextCall, { price, model }: ModelSpec, needsPrice: boolean) => {
  const microUsd = worstCaseMicroUsd(call, price)
  if (microUsd === null && needsPrice)
    throw ApplicationFailure.nonRetryable(
      `the price of model ${model} is unknown, which limits.usdPerDay requires: add it to prices, or set limits.tokensPerDay instead`,
      "price_unknown",
    )
  return { microUsd: microUsd ?? 0, tokens: worstCaseTokens(call) }
}

/**
 * Reserves the most that a model call can use, within the daily limits of the store. Returns why the call is refused; undefined if it is reserved. Warns
 * once a day that a limit comes near.
 */
export const reserveCall = async (
  { store, dailyCaps, logger }: ReserveDependencies,
  { sessionId, runId, step }: Reserved,
  { call, spec, shownStep = step }: { readonly call: NextCall; readonly spec: ModelSpec; readonly shownStep?: number },
): Promise<string | undefined> => {
  if (!hasDailyCap(dailyCaps)) return undefined
  const amounts = worstCase(call, spec, dailyCaps.microUsd !== null)
  const reservation = await store.transaction(async (writes) => {
    const reserved = await writes.dailyUsage.reserve({ sessionId, runId, step, ...amounts }, dailyCaps)
    if (reserved.isReserved)
      for (const use of reserved.approached)
        await writes.events.append(sessionId, [
          { type: "limit-approached", runId, data: { step: shownStep, ...approachedData(use, reserved.day) } },
        ])
    return reserved
  }, "crash")
  if (!reservation.isReserved) return exceededText(reservation.exceeded)
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
