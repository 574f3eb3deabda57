import type { Limits } from "../../contracts/run/limit-schemas.ts"
import type { LimitName } from "../../contracts/run/run-limits.ts"
import type { StopReason } from "../../contracts/status.ts"
import { isMoreThan } from "./limit-values.ts"

/** The limits that can have ended a run, by its stop reason. */
const endedBy: Partial<Readonly<Record<StopReason, readonly LimitName[]>>> = {
  max_steps: ["maxSteps"],
  timeout: ["timeoutSeconds"],
  budget: ["budgetMicroUsd", "budgetTokens"],
}

/** Returns the limits that a request raises, of those that ended the session's last run; no other limit can be raised. */
export const raisedLimits = (base: Limits, wanted: Limits, stopReason: StopReason | null): readonly LimitName[] =>
  (stopReason === null ? [] : (endedBy[stopReason] ?? [])).filter((name) => isMoreThan(name, wanted[name], base[name]))

/** Returns limits with those of the given names from others. */
export const withLimits = (base: Limits, names: readonly LimitName[], from: Limits): Limits => ({
  ...base,
  ...Object.fromEntries(names.map((name) => [name, from[name]])),
})
