import type { RunTiming } from "../../contracts/config/timing.ts"
import { isRecord } from "../text/is-record.ts"

/** Why a model call failed, as the activity reports it: the error of the run if the provider stays unavailable. */
export interface OutageFailure {
  readonly code: string
  readonly reason: string
  /** The call could never succeed with a key that did not work before. */
  readonly needsWorkingKey: boolean
  /** The variable of the key, which nobody has brought: the run waits for it without a limit. */
  readonly missingKey?: string
  readonly retryAfterMs: number | null
}

/** The wait of a run for its provider. Plain data: continue-as-new carries it over. Times are milliseconds since 1970. */
export interface ProviderOutage {
  readonly sinceMs: number
  readonly nextAtMs: number
  /** When the last try failed. Absent in an outage that an earlier version noted. */
  readonly triedAtMs?: number
  /** How long the run has waited and tried until then, without time in which its machine slept. */
  readonly waitedMs?: number
  /** Tries of the run that failed, each with all its attempts. */
  readonly tries: number
  readonly code: string
  readonly reason: string
  /** The model that was called; another one is tried at once. */
  readonly model: string
  /** As in the failure. */
  readonly missingKey?: string
}

/** The details of the failure of a model call that the provider caused. */
export interface OutageDetails {
  readonly outage: Omit<OutageFailure, "code" | "reason">
}

/** Returns what the details of a failed model call say about the provider; undefined if it did not cause the failure. */
export const outageDetailsOf = (details: unknown): OutageDetails["outage"] | undefined => {
  const [first] = Array.isArray(details) ? (details as readonly unknown[]) : []
  const outage = isRecord(first) ? first["outage"] : undefined
  if (!isRecord(outage)) return undefined
  const { needsWorkingKey, retryAfterMs, missingKey } = outage
  return {
    needsWorkingKey: needsWorkingKey === true,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : null,
    ...(typeof missingKey === "string" ? { missingKey } : {}),
  }
}

/** The longest time that a try can take. Time beyond this and the planned wait is time in which the machine slept. */
const longestTryMs = 120_000

/** Returns how much of its time an outage has used up. */
const waitedUntil = (before: ProviderOutage, nowMs: number): number => {
  const { sinceMs, triedAtMs, waitedMs, nextAtMs } = before
  if (triedAtMs === undefined || waitedMs === undefined) return nowMs - sinceMs
  return waitedMs + Math.min(nowMs - triedAtMs, nextAtMs - triedAtMs + longestTryMs)
}

interface OutageCircumstances {
  readonly timing: Pick<RunTiming, "providerRetryInitialMs" | "providerRetryMaxMs" | "providerPauseSeconds">
  readonly nowMs: number
  readonly model: string
  /** False: the time in which the machine slept counts, as it did in an earlier version. */
  readonly countsWork: boolean
}

/**
 * Returns the next wait of a run after another failure; undefined if it has waited as long as it may. The last wait ends exactly then, with a
 * last try.
 */
export const nextOutage = (
  before: ProviderOutage | null,
  { code, reason, retryAfterMs, missingKey }: OutageFailure,
  { timing, nowMs, model, countsWork }: OutageCircumstances,
): ProviderOutage | undefined => {
  const { providerRetryInitialMs, providerRetryMaxMs, providerPauseSeconds } = timing
  const limit = missingKey === undefined ? providerPauseSeconds : undefined
  const maxSeconds = limit ?? Number.POSITIVE_INFINITY
  const sinceMs = before?.sinceMs ?? nowMs
  const waited = before === null || !countsWork ? nowMs - sinceMs : waitedUntil(before, nowMs)
  const endMs = nowMs - waited + maxSeconds * 1_000
  if (nowMs >= endMs) return undefined
  const tries = (before?.tries ?? 0) + 1
  const growing = providerRetryInitialMs * 2 ** Math.min(tries - 1, 20)
  const waitMs = Math.min(providerRetryMaxMs, Math.max(growing, retryAfterMs ?? 0))
  const counted = countsWork ? { triedAtMs: nowMs, waitedMs: waited } : {}
  const missing = missingKey === undefined ? {} : { missingKey }
  return { sinceMs, nextAtMs: Math.min(nowMs + waitMs, endMs), ...counted, tries, code, reason, model, ...missing }
}
