import { isRecord } from "../is-record.ts"

const sorted = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))

/** Returns JSON with the keys of every object sorted, so that equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sorted(part) : part))
