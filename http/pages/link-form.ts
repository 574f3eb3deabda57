import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { withEditedTexts } from "../../domain/preview/edited-text.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"

/** The fields of a form on the page of an approval link. An empty one counts as missing. */
type LinkFields = Readonly<Record<string, string>>

/** New arguments of a call, as a person wrote them. Without `callId`, of the only call of the pause. */
export interface SentEdit {
  readonly callId: string | undefined
  readonly text: string
}

export const readLinkFields = (body: string): LinkFields =>
  Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ""))

/** Browsers send line breaks as CRLF. */
const written = (text: string): string => text.replaceAll("\r\n", "\n")

/** Returns the name of the field with the text that belongs at a place of the arguments. */
export const textFieldName = (path: string): string => `text.${path}`

/** Returns all arguments of a call of which a person edited some as texts: `before` has the others, and `edited` names where the texts belong. */
const withTexts = ({ before = "", edited = "", ...fields }: LinkFields): string => {
  const texts = edited.split(" ").map((path) => ({ path, text: written(fields[textFieldName(path)] ?? "") }))
  return JSON.stringify(withEditedTexts(readArguments(before), texts), null, 2)
}

/** Returns what a form changes in a call; undefined if it decides something else. */
export const sentEditOf = (fields: LinkFields): SentEdit | undefined => {
  const { action, call_id: callId, arguments: all = "", edited } = fields
  if (action !== "edit") return undefined
  return { callId, text: edited === undefined ? written(all) : withTexts(fields) }
}

const readArguments = (text: string): Readonly<Record<string, unknown>> => {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw new AdjutantError("invalid_json", `the arguments are not valid JSON: ${errorMessage(error)}`)
  }
  if (!isRecord(value))
    throw new AdjutantError("invalid_argument", "the arguments must be a JSON object: write them between { and }")
  return value
}

/**
 * Returns the decision of a form, not validated. A form with the id of a call decides that call alone.
 * @throws AdjutantError `invalid_json`, `invalid_argument` if new arguments are not a JSON object
 */
export const linkDecisionOf = (fields: LinkFields): Readonly<Record<string, unknown>> => {
  const { call_id: callId, token, edited: _edited, before: _before, ...others } = fields
  const given = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith(textFieldName(""))))
  const edit = sentEditOf(fields)
  const decision: Readonly<Record<string, unknown>> =
    edit === undefined ? given : { ...given, arguments: readArguments(edit.text) }
  const proof = token === undefined ? {} : { token }
  if (callId === undefined) return { ...decision, ...proof }
  const { content, ...accepted } = decision
  const own = given["action"] === "accept" || content === undefined ? accepted : decision
  return { decisions: { [callId]: own }, ...proof }
}
