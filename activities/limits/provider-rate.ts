import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Message } from "../../contracts/message.ts"
import { providerKeyOf } from "../../domain/limits/provider/provider-key.ts"
import { expectedTokens, limitedTokens } from "../../domain/limits/provider/provider-tokens.ts"
import type { NextCall } from "../../domain/limits/prompt/next-call.ts"
import type { TokenUsage } from "../../domain/limits/usage-cost.ts"
import type { ModelError } from "../../models/model-error.ts"
import type { LimitedKey } from "../../store/tables/limits/provider-calls.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelResult } from "../contract/call-model-result.ts"
import type { Reserved, ReservedWait } from "./reserve-call.ts"

type RateDependencies = Pick<AgentDependencies, "store" | "providerLimits" | "logger">

/** How long a call counts after its worker last reported that it is running. */
const leaseMs = 30_000
/** How long the calls of a key wait after a refusal by the provider that names no time. */
const usualRefusalMs = 1_000
const tooManyRequests = 429
const granted = { isReserved: true } as const

const limitedKey = ({ providerLimits }: RateDependencies, spec: ModelSpec): LimitedKey | undefined => {
  const key = providerKeyOf(spec)
  const limits = providerLimits.get(key)
  return limits === undefined ? undefined : { key, limits }
}

/**
 * Reserves a model call within the limits of its provider's key, which all workers of the store share. Returns when to ask again if it has to wait, which the
 * session shows; undefined if the call can be made.
 */
export const reserveRate = async (
  deps: RateDependencies,
  reserved: ReservedWait,
  {
    spec,
    call,
    messages,
  }: { readonly spec: ModelSpec; readonly call: NextCall; readonly messages: readonly Message[] },
): Promise<Extract<CallModelResult, { kind: "rate-limited" }> | undefined> => {
  const { store } = deps
  const { sessionId, waitsSince, failedAttempts } = reserved
  const limited = limitedKey(deps, spec)
  if (limited === undefined && waitsSince === null) return undefined
  return await store.transaction(async (writes) => {
    const tokens = expectedTokens(spec, call, messages)
    const answer =
      limited === undefined ? granted : await writes.providerCalls.reserve(reserved, { ...limited, tokens, leaseMs })
    if (answer.isReserved) {
      if (waitsSince !== null) await writes.sessions.patch(sessionId, { blockedBy: null })
      return undefined
    }
    const nowMs = Date.now()
    const since = waitsSince ?? new Date(nowMs).toISOString()
    const next_at = new Date(nowMs + answer.waitMs).toISOString()
    await writes.sessions.patch(sessionId, { blockedBy: { type: "rate_limit", since, next_at } })
    return { kind: "rate-limited", waitMs: answer.waitMs, since, failedAttempts }
  }, "crash")
}

/** Takes back the reservation of a call that is not made. */
export const releaseRate = async (deps: RateDependencies, reserved: Reserved, spec: ModelSpec): Promise<void> => {
  const limited = limitedKey(deps, spec)
  if (limited !== undefined) await deps.store.providerCalls.cancel(reserved, limited)
}

/** Makes a call, and reports meanwhile that it is running. */
export const whileCalling = async <T>(
  deps: RateDependencies,
  reserved: Reserved,
  { spec, work }: { readonly spec: ModelSpec; readonly work: () => Promise<T> },
): Promise<T> => {
  if (limitedKey(deps, spec) === undefined) return await work()
  const renew = setInterval(() => {
    deps.store.providerCalls
      .renew(reserved, leaseMs)
      .catch((error: unknown) => deps.logger.warn({ err: error }, "could not store that a model call is still running"))
  }, leaseMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renew)
  }
}

/** Notes what a call used that was answered. One that was not reserved, as that for a summary, counts from now on. */
export const settleAnswer = async (
  deps: RateDependencies,
  reserved: Reserved,
  { spec, usage }: { readonly spec: ModelSpec; readonly usage: TokenUsage },
): Promise<void> => {
  const limited = limitedKey(deps, spec)
  if (limited !== undefined)
    await deps.store.providerCalls.settle(reserved, { ...limited, tokens: limitedTokens(spec, usage) })
}

/** Notes that a call failed. If the provider refused it because of its rate, the other calls of the key wait, too. */
export const settleFailure = async (
  deps: RateDependencies,
  reserved: Reserved,
  {
    spec,
    failure,
    snapshot,
  }: { readonly spec: ModelSpec; readonly failure: ModelError; readonly snapshot: RunSnapshot },
): Promise<void> => {
  const limited = limitedKey(deps, spec)
  if (limited === undefined) return
  const isRefused = failure.status === tooManyRequests && failure.kind === "retry"
  const refusedForMs = Math.min(failure.retryAfterMs ?? usualRefusalMs, snapshot.timing.modelRetryAfterMaxMs)
  await deps.store.providerCalls.settle(reserved, {
    ...limited,
    // An error uses no tokens; a call that was stopped can have used as many as expected.
    tokens: failure.kind === "aborted" ? undefined : 0,
    ...(isRefused ? { refusedForMs } : {}),
  })
}
