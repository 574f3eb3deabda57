import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Texts are stored as JSON too: it keeps lone surrogates and NUL, which a text column does not. */
export const toJson = (value: unknown): string => JSON.stringify(value)

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
