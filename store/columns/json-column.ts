import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns a value as JSON. Texts are stored as JSON, too, since a text column does not preserve lone surrogates and NUL. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** Returns an object as JSON; null if it is empty. */
export const toJsonObject = (value: Readonly<Record<string, unknown>>): string | null => {
  const text = JSON.stringify(value)
  return text === "{}" ? null : text
}

/** Parses a JSON column. The caller names the type that was written. Throws `storage_failed` if the text is not JSON. */
export const fromJson = <T>(text: string): T => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AdjutantError(
      "storage_failed",
      "a row of the session store is damaged: restore the store's file from a backup or use another data directory",
      { cause },
    )
  }
}

export const fromJsonOrNull = <T>(text: string | null): T | null => (text === null ? null : fromJson<T>(text))
