import { isRecord } from "../domain/text/is-record.ts"
import { ModelError } from "./model-error.ts"

/** Returns a text of a provider's answer that the answer can do without; undefined if it is none. */
export const optionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** More than any answer has: a greater number is not a count. */
const maxCount = 1e12

/** Returns a count, which some servers send as text; undefined if it cannot be read. */
export const optionalCount = (value: unknown): number | undefined => {
  const count = typeof value === "string" && /^\d{1,15}(\.\d*)?$/.test(value) ? Number(value) : value
  return typeof count === "number" && count >= 0 && count <= maxCount ? Math.round(count) : undefined
}

/** Returns the fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** Returns the items of a list; none of anything else. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the failure of an answer that lacks what every answer needs. The next one would have the same form, so that it is not retried. */
export const unreadable = (path: string, value: unknown): ModelError =>
  new ModelError(
    "bad_request",
    `the server's answer cannot be read: ${path} is ${Array.isArray(value) ? "a list" : typeof value}, which no answer of this API has`,
  )

/** Returns a text that the answer needs: "" if it is absent. Throws a `ModelError` if it is something else. */
export const requiredText = (value: unknown, path: string): string => {
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  throw unreadable(path, value)
}

/** Returns a list that the answer needs: empty if it is absent. Some servers send the only item in place of the list. */
export const requiredList = (value: unknown, path: string): readonly unknown[] => {
  if (value === undefined || value === null || value === "") return []
  if (Array.isArray(value)) return value
  if (isRecord(value)) return [value]
  throw unreadable(path, value)
}
