import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isRunOption, runOptionNames } from "../../contracts/run/run-options.ts"
import { didYouMean } from "../../domain/text/suggest.ts"

/**
 * Requires that a program names only options that exist: one that is misspelt would be ignored, such as a limit.
 * @throws AdjutantError `invalid_argument`
 */
export const requireKnownOptions = (given: object, others: readonly string[] = []): void => {
  const unknown = Object.keys(given).find((name) => !isRunOption(name) && !others.includes(name))
  if (unknown === undefined) return
  const names = [...runOptionNames, ...others]
  throw new AdjutantError("invalid_argument", `there is no option ${unknown}${didYouMean(unknown, names)}`)
}
