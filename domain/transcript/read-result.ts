import { parseJson } from "../text/parse-json.ts"

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

/** Reads a final text, or the `result` of `finish`: a value, or a text that contains it as JSON, alone or in a code block. */
export const readResult = (given: unknown): ReadResult => {
  if (typeof given !== "string") return { candidates: given === undefined ? [] : [given] }
  const text = given.trim()
  return { candidates: parsed(fence.exec(text)?.[1] ?? text) }
}

/** Reads the `result` of a `finish` call, where a text may also be the result itself. */
export const readFinishResult = (given: unknown): ReadResult => {
  const { candidates } = readResult(given)
  return { candidates: typeof given === "string" ? [...candidates, given] : candidates }
}
