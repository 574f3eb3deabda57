import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Config } from "../../../contracts/config/config.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { fallbackModels } from "../../../domain/models/fallback-models.ts"

type ModelSettings = Pick<RunSnapshot, "models" | "model" | "modelTiers">

/** Throws `price_unknown` if the price of the run's model, or of a model that can take over from it, is unknown. */
const requirePrices = (run: ModelSettings, problem: { readonly reason?: string; readonly instead: string }): void => {
  const unknown = [run.model, ...fallbackModels(run, run.model)].find((name) => run.models[name]?.price === null)
  if (unknown === undefined) return
  const name = unknown === run.model ? unknown : `${unknown}, a fallback model of ${run.model},`
  throw new AdjutantError(
    "price_unknown",
    `the price of model ${name} is unknown${problem.reason ?? ""}: add it to prices, or ${problem.instead}`,
  )
}

/** Throws `price_unknown` if a price, which a budget in US dollars requires, is unknown. */
export const requirePrice = (run: ModelSettings & Pick<RunSnapshot, "limits">): void => {
  if (run.limits.budgetMicroUsd !== null) requirePrices(run, { instead: "set a budget in tokens" })
}

/** Throws `price_unknown` if a price, which a daily limit in US dollars requires, is unknown. */
export const requireDailyPrice = (run: ModelSettings, { limits }: Pick<Config, "limits">): void => {
  if (limits.usdPerDay !== undefined)
    requirePrices(run, {
      reason: ", which limits.usdPerDay requires",
      instead: "set limits.tokensPerDay instead",
    })
}
