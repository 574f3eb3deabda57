export const toIso = (ms: number): string => new Date(ms).toISOString()

export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms))

/** Throws a `RangeError` for what is not a time. */
export const fromIso = (text: string): number => {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new RangeError(`not an ISO 8601 time: ${text}`)
  return ms
}

export const fromIsoOrNull = (text: string | null): number | null => (text === null ? null : fromIso(text))

/** For a patch: undefined leaves the column as it is, null empties it. */
export const fromIsoPatch = (text: string | null | undefined): number | null | undefined =>
  text === undefined ? undefined : fromIsoOrNull(text)
