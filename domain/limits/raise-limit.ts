import type { Limits } from "../../contracts/run-snapshot.ts"
import type { StopReason } from "../../contracts/status.ts"

export type LimitName = keyof Limits

/** The limits that can have ended a run, by its stop reason. */
const endedBy: Partial<Readonly<Record<StopReason, readonly LimitName[]>>> = {
  max_steps: ["maxSteps"],
  timeout: ["timeoutSeconds"],
  budget: ["budgetMicroUsd", "budgetTokens"],
}

/** Returns whether a value allows more than another one; null, and 0 seconds, mean no limit. */
const isMore = (name: LimitName, base: number | null, wanted: number | null): boolean => {
  const unlimited = (value: number | null): boolean => value === null || (name === "timeoutSeconds" && value === 0)
  if (unlimited(base)) return false
  return unlimited(wanted) || (wanted ?? 0) > (base ?? 0)
}

/** Returns the limits that a request raises, of those that ended the session's last run; no other limit can be raised. */
export const raisedLimits = (base: Limits, wanted: Limits, stopReason: StopReason | null): readonly LimitName[] =>
  (stopReason === null ? [] : (endedBy[stopReason] ?? [])).filter((name) => isMore(name, base[name], wanted[name]))

/** Returns limits with those of the given names from others. */
export const withLimits = (base: Limits, names: readonly LimitName[], from: Limits): Limits => ({
  ...base,
  ...Object.fromEntries(names.map((name) => [name, from[name]])),
})
