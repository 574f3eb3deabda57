import type { HeaderReader, ProviderFailure } from "./provider-failure.ts"

/** Returns how many milliseconds a provider asked to wait: in a header, a field of the body, or its text. */
export const readRetryAfterMs = (failure: ProviderFailure, nowMs: number): number | undefined =>
  inHeaders(failure.headers, nowMs) ?? failure.waitMs ?? inText(failure.texts)

/** Reads `retry-after-ms` or `retry-after` (seconds, or a date compared with `nowMs`). */
const inHeaders = (headers: HeaderReader | undefined, nowMs: number): number | undefined => {
  const milliseconds = toNumber(headers?.get("retry-after-ms"))
  if (milliseconds !== undefined) return Math.round(milliseconds)
  const value = headers?.get("retry-after")?.trim()
  if (!value) return undefined
  const seconds = toNumber(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

const toNumber = (value: string | null | undefined): number | undefined => {
  const number = value?.trim() ? Number(value) : Number.NaN
  return Number.isFinite(number) && number >= 0 ? number : undefined
}

const duration =
  /(?:try again|retry|wait)(?: (?:in|after|for|at least))? ((?:\d+(?:\.\d+)?\s?(?:ms|[dhms]|milliseconds?|seconds?|minutes?|hours?)(?![a-z])\s?)+)/i
const pieces = /(\d+(?:\.\d+)?)\s?(ms|milliseconds?|[dhms]|seconds?|minutes?|hours?)/gi

const unitMs = (unit: string): number => {
  if (/^(ms|milli)/i.test(unit)) return 1
  return { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit.charAt(0).toLowerCase()] ?? 1_000
}

/** Reads texts such as "Please try again in 1m11.054s". */
const inText = (text: string): number | undefined => {
  const found = duration.exec(text)?.[1]
  if (found === undefined) return undefined
  const total = [...found.matchAll(pieces)].reduce(
    (sum, [, count, unit = "s"]) => sum + Number(count) * unitMs(unit),
    0,
  )
  return Math.round(total)
}
