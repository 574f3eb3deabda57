export const toIso = (ms: number): string => new Date(ms).toISOString()

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms))

/** Returns the milliseconds of an ISO 8601 time. Throws a `RangeError` for any other text. */
export const fromIso = (text: string): number => {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new RangeError(`not an ISO 8601 time: ${text}`)
  return ms
}

export const fromIsoOrNull = (text: string | null): number | null => (text === null ? null : fromIso(text))
