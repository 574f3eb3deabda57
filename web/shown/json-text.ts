import { visible } from "../../domain/text/visible.ts"

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns a value as a person edits it. Hidden characters are escapes there, which JSON reads as the same characters. */
export const jsonText = (value: object | null): string => visible(JSON.stringify(value, null, 2))

/** Reads what a person has written; undefined if it is no JSON object. */
export const readJsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
