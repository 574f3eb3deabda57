import { isRecord } from "../text/is-record.ts"
import { parseJson } from "../text/json/parse-json.ts"

/** The values that a model may mean as its result, the likeliest first; none if it wrote no JSON. */
export interface ReadResult {
  readonly candidates: readonly unknown[]
}

const fence = /^```(?:json)?\s*\n([^]*?)\n?```$/

const parsed = (text: string): readonly unknown[] => {
  try {
    return [parseJson(text)]
  } catch {
    return []
  }
}

/** Returns a value without the keys that are null: models that must write every key write null for one that is absent. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (part === null ? [] : [[key, withoutNulls(part)]])),
  )
}

const readings = (value: unknown): readonly unknown[] =>
  JSON.stringify(value).includes("null") ? [value, withoutNulls(value)] : [value]

/** Reads a final text, or the `result` of `finish`: a value, or a text that contains it as JSON, alone or in a code block. */
export const readResult = (given: unknown): ReadResult => {
  if (typeof given !== "string") return { candidates: given === undefined ? [] : readings(given) }
  const text = given.trim()
  return { candidates: parsed(fence.exec(text)?.[1] ?? text).flatMap(readings) }
}

/** Reads the `result` of a `finish` call, where a text may also be the result itself. */
export const readFinishResult = (given: unknown): ReadResult => {
  const { candidates } = readResult(given)
  return { candidates: typeof given === "string" ? [...candidates, given] : candidates }
}
