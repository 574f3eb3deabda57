import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Config } from "../../../contracts/config/config.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"

/** Throws `price_unknown` if the model's price, which a budget in US dollars requires, is unknown. */
export const requirePrice = ({ limits, models, model }: Pick<RunSnapshot, "limits" | "models" | "model">): void => {
  if (limits.budgetMicroUsd !== null && models[model]?.price === null)
    throw new AdjutantError(
      "price_unknown",
      `the price of model ${model} is unknown: add it to prices, or set a budget in tokens`,
    )
}

/** Throws `price_unknown` if the model's price, which a daily limit in US dollars requires, is unknown. */
export const requireDailyPrice = (
  { models, model }: Pick<RunSnapshot, "models" | "model">,
  { limits }: Pick<Config, "limits">,
): void => {
  if (limits.usdPerDay !== undefined && models[model]?.price === null)
    throw new AdjutantError(
      "price_unknown",
      `the price of model ${model} is unknown, which limits.usdPerDay requires: add it to prices, or set limits.tokensPerDay instead`,
    )
}
