import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import type { Limits } from "../../../contracts/run/limit-schemas.ts"
import { type LimitName, limitNames, type LimitOption, runLimits, termsOf } from "../../../contracts/run/run-limits.ts"
import type { RunOptions } from "../../../contracts/run/run-options.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { type Amount, eachLimit, toSetting } from "../../../domain/limits/limit-values.ts"

type WantedLimits = Pick<RunOptions, LimitOption>

const checkWanted = (name: LimitName, value: number | undefined): void => {
  const { range, fractions, refusal } = termsOf(name)
  if (value === undefined) return
  const isIn = value >= (range.from ?? 0) && value > (range.above ?? -1) && value <= range.to
  if (!isIn || (fractions === undefined && !Number.isSafeInteger(value)))
    throw new AdjutantError("invalid_argument", refusal)
}

const fromProfile = (name: LimitName, profile: Partial<LlmProfile>): Amount => {
  const value = profile[runLimits[name].profile]
  return value === undefined ? termsOf(name).standard : toSetting(name, value)
}

/** Returns the budgets of one run of a profile; null: no limit. */
export const budgetsOf = (profile: Partial<LlmProfile>) => ({
  budgetMicroUsd: fromProfile("budgetMicroUsd", profile),
  budgetTokens: fromProfile("budgetTokens", profile),
})

/** Returns limits in which those that a request names take the place of the others. */
export const limitsWith = (asked: WantedLimits, otherwise: (name: LimitName) => Amount): Limits =>
  eachLimit((name) => {
    const value = asked[runLimits[name].option]
    return value === undefined ? otherwise(name) : toSetting(name, value)
  })

/**
 * Returns the limits of the request, else the profile's, else the defaults: 100 steps, and no other limit. Throws `invalid_argument`, or `price_unknown`
 * for a budget in US dollars without a price.
 */
export const resolveLimits = (wanted: WantedLimits, profile: Partial<LlmProfile>, spec?: ModelSpec): Limits => {
  for (const name of limitNames) checkWanted(name, wanted[runLimits[name].option])
  const limits = limitsWith(wanted, (name) => fromProfile(name, profile))
  if (limits.budgetMicroUsd !== null && spec !== undefined && spec.price === null)
    throw new AdjutantError(
      "price_unknown",
      `a budget in US dollars requires the price of ${spec.model}: add it to prices, or use a budget in tokens`,
    )
  return limits
}
