import {
  type LimitedTool,
  type LimitName,
  limitNames,
  type LimitOption,
  limitsBy,
  runLimits,
  termsOf,
} from "../../contracts/run/run-limits.ts"
import type { Limits } from "../../contracts/run/limit-schemas.ts"

/** The value of a limit; null: none. */
export type Amount = number | null

/** Returns limits of a run, each from a function of its name. */
export const eachLimit = (valueOf: (name: LimitName) => Amount): Limits =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each limit; null only where the table says that it means none
  limitsBy("name", valueOf) as Limits

/** Returns whether a value means no limit. Settings of a run that began before the limit existed do not have one. */
const isNone = (name: LimitName, value: Amount | undefined): boolean =>
  value === null || value === undefined || value === termsOf(name).none

/** Returns the smaller limit; one that is none does not count. */
export const tighterLimit = (name: LimitName, left: Amount, right: Amount): Amount => {
  if (isNone(name, left)) return isNone(name, right) ? (termsOf(name).none ?? null) : right
  return isNone(name, right) ? left : Math.min(left ?? 0, right ?? 0)
}

/** Returns whether a limit allows more than another one. */
export const isMoreThan = (name: LimitName, wanted: Amount, base: Amount): boolean =>
  !isNone(name, base) && (isNone(name, wanted) || (wanted ?? 0) > (base ?? 0))

/** Returns a limit of a request as the settings have it: money in millionths, rounded down. */
export const toSetting = (name: LimitName, asked: number): number => {
  const { scale } = termsOf(name)
  return scale === 1 ? asked : Math.floor(Number((asked * scale).toFixed(3)))
}

/** Returns a limit of the settings in the unit of requests. */
export const limitText = (name: LimitName, value: Amount): string =>
  isNone(name, value) ? "none" : String((value ?? 0) / termsOf(name).scale)

/** The names of limits in requests. */
export const limitFields = limitsBy("name", (name) => termsOf(name).option)

/** Returns the limits that a call of a delegation tool asks for, by their names in requests. */
export const limitsAsked = (
  tool: LimitedTool,
  input: Readonly<Record<string, unknown>>,
): Partial<Readonly<Record<LimitOption, number>>> =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const argument = termsOf(name).arguments?.[tool]
      const value = argument === undefined ? undefined : input[argument.name]
      return typeof value === "number" ? [[runLimits[name].option, value]] : []
    }),
  )
