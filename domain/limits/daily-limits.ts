import type { Config } from "../../contracts/config/config.ts"
import { dayMs } from "../text/duration.ts"
import { amountText, microUsdOf, type Remaining } from "./usage-cost.ts"

/** The most that all runs of a store together can use in one day; null: no limit. */
export type DailyCaps = Remaining

/** The limits of a store, and those of single callers within them, by the name that usage shows. */
export interface DailyLimits extends DailyCaps {
  readonly callers?: Readonly<Record<string, DailyCaps>>
}

/** The limits of the caller that started the tree of a session. */
export interface CallerCaps {
  readonly caller: string
  readonly caps: DailyCaps
}

export interface Amounts {
  readonly microUsd: number
  readonly tokens: number
}

/** What counts against the limits of one day. */
export interface DayUse {
  readonly used: Amounts
  /** The most that the model calls which run now can add. */
  readonly reserved: Amounts
}

type Unit = keyof Amounts

/** The names of the limits in the configuration. */
export const dailyLimitKeys = { microUsd: "usdPerDay", tokens: "tokensPerDay" } as const satisfies Record<Unit, string>

/** One limit with what counts against it, in its unit. */
export interface LimitUse {
  readonly unit: Unit
  /** Whose limit it is; absent: the store's. */
  readonly caller?: string
  readonly cap: number
  readonly used: number
  readonly reserved: number
  /** The most that the next call can add. */
  readonly call: number
}

type ConfiguredCaps = Pick<Config["limits"], "usdPerDay" | "tokensPerDay">

const capsOf = ({ usdPerDay, tokensPerDay }: ConfiguredCaps): DailyCaps => ({
  microUsd: usdPerDay === undefined ? null : microUsdOf(usdPerDay),
  tokens: tokensPerDay ?? null,
})

export const dailyCapsOf = ({ limits }: Pick<Config, "limits">): DailyLimits => ({
  ...capsOf(limits),
  ...(limits.callers === undefined
    ? {}
    : { callers: Object.fromEntries(Object.entries(limits.callers).map(([name, caps]) => [name, capsOf(caps)])) }),
})

const everyCaps = (limits: DailyLimits): readonly DailyCaps[] => [limits, ...Object.values(limits.callers ?? {})]

export const hasDailyCap = (limits: DailyLimits): boolean =>
  everyCaps(limits).some((caps) => caps.microUsd !== null || caps.tokens !== null)

/** Returns whether a limit in US dollars can apply to a call. */
export const hasUsdCap = (limits: DailyLimits): boolean => everyCaps(limits).some(({ microUsd }) => microUsd !== null)

/** Returns the day of a time, counted from the epoch in UTC. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs)

/** Returns the date of a day, as in `2026-11-26`. */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

const usesOf = (caps: DailyCaps, { used, reserved }: DayUse, call: Amounts): readonly LimitUse[] =>
  (["microUsd", "tokens"] as const).flatMap((unit) => {
    const cap = caps[unit]
    return cap === null ? [] : [{ unit, cap, used: used[unit], reserved: reserved[unit], call: call[unit] }]
  })

const totalOf = ({ used, reserved, call }: LimitUse): number => used + reserved + call

/** Returns whether a call fits once the calls that run now have ended, if they use less than they can. */
export const fitsLater = ({ cap, used, call }: LimitUse): boolean => used + call <= cap

/** Returns the first limit that a call would exceed, one that it would exceed also later if there is one; undefined if it fits into both. */
export const exceededLimit = (caps: DailyCaps, day: DayUse, call: Amounts): LimitUse | undefined => {
  const exceeded = usesOf(caps, day, call).filter((use) => totalOf(use) > use.cap)
  return exceeded.find((use) => !fitsLater(use)) ?? exceeded[0]
}

/** The part of a limit from which on a warning is given. */
const warningPart = 0.8

/** Returns the limits that come near with this call. */
export const approachedLimits = (caps: DailyCaps, day: DayUse, call: Amounts): readonly LimitUse[] =>
  usesOf(caps, day, call).filter((use) => totalOf(use) >= use.cap * warningPart)

/** Returns a limit and what counts against it. */
export const limitUseText = ({ unit, caller, cap, used, reserved, call }: LimitUse): string => {
  const owner = caller === undefined ? "" : `callers["${caller}"].`
  const text = (amount: number): string => amountText(unit, amount)
  const running = reserved === 0 ? "" : `, ${text(reserved)} reserved by calls that run now`
  return `limits.${owner}${dailyLimitKeys[unit]} is ${text(cap)}: ${text(used)} used${running}, and this call can add ${text(call)}`
}

const uncoveredText = ({ caller }: LimitUse): string =>
  caller === undefined
    ? "the daily limit of the store does not cover another model call"
    : `the daily limit of the caller ${caller} does not cover another model call`

/** Returns why a call is refused, and how to continue. */
export const dailyLimitText = (use: LimitUse): string =>
  `${uncoveredText(use)} (${limitUseText(use)}): send a message to continue after 00:00 UTC, or raise the limit and restart the workers`

/** Returns the warning that a limit comes near. */
export const approachedText = (use: LimitUse): string =>
  `more than ${warningPart * 100} % of a daily limit of the store is used or reserved (${limitUseText(use)})`

/** Returns the data of the event `limit-approached`: amounts in US dollars or tokens. */
export const approachedData = (use: LimitUse, day: number): Readonly<Record<string, unknown>> => {
  const scale = use.unit === "microUsd" ? 1e6 : 1
  return {
    limit: dailyLimitKeys[use.unit],
    day: dateOf(day),
    cap: use.cap / scale,
    used: use.used / scale,
    reserved: (use.reserved + use.call) / scale,
    message: approachedText(use),
  }
}
