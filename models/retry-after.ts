/** The part of `Headers` that is read here. */
export interface HeaderReader {
  get(name: string): string | null
}

/** Milliseconds that a provider asked to wait, from `retry-after-ms` or `retry-after` (seconds, or a date compared with `nowMs`). */
export const readRetryAfterMs = (headers: HeaderReader | undefined, nowMs: number): number | undefined => {
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
