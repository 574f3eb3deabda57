import { isRecord } from "../../text/is-record.ts"
import { startOf } from "../../text/foreign/well-formed.ts"

/** Characters of a result or a question in an answer; the rest is in the transcript. */
const maxResult = 60_000

/** Characters of one text in the arguments of a call. */
export const maxArgument = 4_000

const cut = (text: string, most: number, rest: string): string =>
  text.length <= most ? text : `${startOf(text, most)}\n[cut: ${rest}]`

/** Cuts what a sub-agent says, the same in the text and in the data of an answer. */
export const boundResult = (text: string): string => cut(text, maxResult, "the transcript has the full text")

/** Cuts every text in a value that an answer repeats. */
export const boundTexts = (value: unknown, most = maxArgument): unknown => {
  if (typeof value === "string") return cut(value, most, `${value.length} characters in all`)
  if (Array.isArray(value)) return value.map((each) => boundTexts(each, most))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, boundTexts(each, most)]))
}
