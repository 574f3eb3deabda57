import { isRecord } from "../text/is-record.ts"

/** What an activity returns that did nothing because the session's working directory is on another machine. */
export interface Elsewhere {
  readonly elsewhere: {
    /** The session's machine, or all that may have its directory. */
    readonly machines: readonly string[]
    readonly isKnown: boolean
  }
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string")

/** Returns where a call has to run, if that is its result; undefined for any other result. */
export const elsewhereOf = (result: unknown): Elsewhere["elsewhere"] | undefined => {
  const answer = isRecord(result) ? result["elsewhere"] : undefined
  if (!isRecord(answer) || !isNames(answer["machines"])) return undefined
  return { machines: answer["machines"], isKnown: answer["isKnown"] === true }
}
