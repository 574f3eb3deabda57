import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Limits, ModelSpec } from "../../../contracts/run-snapshot.ts"
import type { RunOptions } from "../../../contracts/run/run-options.ts"
import { microUsdOf } from "../../../domain/limits/micro-usd.ts"

const defaultMaxSteps = 30
const maxStepsLimit = 256
const maxTimeoutSeconds = 31_536_000

type WantedLimits = Pick<RunOptions, "max_steps" | "timeout_seconds" | "budget_usd" | "budget_tokens">

const refuse = (message: string): never => {
  throw new AdjutantError("invalid_argument", message)
}

const checkWanted = ({
  max_steps: maxSteps,
  timeout_seconds: timeoutSeconds,
  budget_usd: budgetUsd,
  budget_tokens: budgetTokens,
}: WantedLimits): void => {
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= maxStepsLimit))
    refuse(`max steps must be a whole number from 1 to ${maxStepsLimit}`)
  if (timeoutSeconds !== undefined && !(timeoutSeconds >= 0 && timeoutSeconds <= maxTimeoutSeconds))
    refuse(`the timeout must be a number of seconds from 0 (none) to ${maxTimeoutSeconds}`)
  if (budgetUsd !== undefined && !(budgetUsd > 0 && budgetUsd <= 1_000_000))
    refuse("the budget in US dollars must be more than 0 and at most 1000000")
  if (budgetTokens !== undefined && !(Number.isSafeInteger(budgetTokens) && budgetTokens > 0))
    refuse("the budget in tokens must be a whole number above 0")
}

type Budgets = Pick<Limits, "budgetMicroUsd" | "budgetTokens">

/** Returns the budgets of one run; null: no limit. */
export const budgetsOf = ({ budgetUsd, budgetTokens }: Pick<LlmProfile, "budgetUsd" | "budgetTokens">): Budgets => ({
  budgetMicroUsd: budgetUsd === undefined ? null : microUsdOf(budgetUsd),
  budgetTokens: budgetTokens ?? null,
})

/**
 * Returns the limits of the request, else the profile's, else the defaults: 30 steps, and no other limit. Throws `invalid_argument`, or `price_unknown`
 * for a budget in US dollars without a price.
 */
export const resolveLimits = (wanted: WantedLimits, profile: Partial<LlmProfile>, spec?: ModelSpec): Limits => {
  checkWanted(wanted)
  const budgetUsd = wanted.budget_usd ?? profile.budgetUsd
  if (budgetUsd !== undefined && spec !== undefined && spec.price === null)
    throw new AdjutantError(
      "price_unknown",
      `a budget in US dollars requires the price of ${spec.model}: add it to prices, or use a budget in tokens`,
    )
  return {
    maxSteps: wanted.max_steps ?? profile.maxSteps ?? defaultMaxSteps,
    timeoutSeconds: wanted.timeout_seconds ?? profile.timeoutSeconds ?? 0,
    ...budgetsOf({ budgetUsd, budgetTokens: wanted.budget_tokens ?? profile.budgetTokens }),
  }
}
