import type { Config } from "../../contracts/config/config.ts"
import { isStrongerModel } from "../../domain/models/model-choice.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { ConfigProblem } from "../config-problem.ts"
import { knownModel } from "./price-table.ts"

/** Models that the environment can define. */
const usualNames = ["main", "light"]

/** Returns why a model cannot be a fallback model of another one; undefined if it can. */
const fallbackProblem = (fallback: string, name: string, { models, modelTiers }: Config): string | undefined => {
  const known = [...new Set([...Object.keys(models), ...usualNames])]
  if (fallback === name) return `${name} is its own fallback model: remove it`
  if (!known.includes(fallback) && knownModel(fallback) === undefined)
    return `there is no model ${fallback}${didYouMean(fallback, known)}`
  if (isStrongerModel(fallback, name, { models, modelTiers }))
    return `${fallback} is in a higher tier than ${name} in modelTiers: remove it`
  return undefined
}

/** Reports fallback models that could never take over. */
export const checkFallbacks = (config: Config): readonly ConfigProblem[] =>
  Object.entries(config.models).flatMap(([name, { fallback = [] }]) =>
    fallback.flatMap((other, index) => {
      const isRepeated = fallback.indexOf(other) < index
      const message = isRepeated ? `${other} is in the list twice: remove one` : fallbackProblem(other, name, config)
      return message === undefined ? [] : [{ path: ["models", name, "fallback", index], message }]
    }),
  )
