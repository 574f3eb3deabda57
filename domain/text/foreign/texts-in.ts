import { isRecord } from "../is-record.ts"

/** Returns every text within a value of JSON, without the names of fields. */
export const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : []
}
