import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Texts are stored as JSON too: it keeps lone surrogates and NUL, which a text column does not. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** For a patch: undefined leaves the column as it is, null empties it. */
export const toJsonPatch = (value: unknown): string | null | undefined =>
  value === undefined || value === null ? value : toJson(value)

/** Null where the object is empty. */
export const toJsonObject = (value: Readonly<Record<string, unknown>>): string | null => {
  const text = JSON.stringify(value)
  return text === "{}" ? null : text
}

/** The caller names the type that it wrote into the column. */
export const fromJson = <T>(text: string): T => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AdjutantError(
      "storage_failed",
      "A row of the session store is damaged: restore the store's file from a backup or start with another data directory.",
      { cause },
    )
  }
}

export const fromJsonOrNull = <T>(text: string | null): T | null => (text === null ? null : fromJson<T>(text))

/** JSON with the keys of every object sorted: equal values give equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (isPlainObject(part) ? sorted(part) : part))

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const sorted = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
