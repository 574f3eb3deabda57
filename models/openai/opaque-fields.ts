import { isRecord } from "../../domain/text/is-record.ts"

/** Fields of a message or a call that Adjutant does not understand. They are sent back to the same model unchanged: some models refuse to continue without. */
export type OpaqueFields = Readonly<Record<string, unknown>>

/** Texts that are streamed in pieces. */
const streamedTexts: ReadonlySet<string> = new Set(["text", "thinking", "summary", "data", "reasoning"])

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** Numbers in a list are token ids or probabilities, which no server needs again. */
const isKept = (value: unknown): boolean =>
  !isEmpty(value) && !(Array.isArray(value) && value.every((item) => typeof item === "number"))

/** Returns the fields of an object besides those that are understood. */
export const opaqueFields = (source: OpaqueFields, understood: ReadonlySet<string>): OpaqueFields =>
  Object.fromEntries(
    Object.entries(source).filter(([key, value]) => !understood.has(key) && key !== "__proto__" && isKept(value)),
  )

/** Returns the fields with those of a later piece of the stream. */
export const joinFields = (before: OpaqueFields, piece: OpaqueFields): OpaqueFields => {
  const joined = { ...before }
  for (const [key, value] of Object.entries(piece)) {
    const known = joined[key]
    const isStreamed = streamedTexts.has(key) && typeof known === "string" && typeof value === "string"
    joined[key] = isStreamed ? known + value : joinValues(known, value)
  }
  return joined
}

const joinValues = (before: unknown, piece: unknown): unknown => {
  if (isEmpty(before)) return piece
  if (isEmpty(piece)) return before
  if (Array.isArray(before) && Array.isArray(piece)) return piece.reduce<readonly unknown[]>(joinItems, before)
  if (isRecord(before) && isRecord(piece)) return joinFields(before, piece)
  return piece
}

/** Returns a list that is streamed in pieces with one more piece: joined to the item with its `index`, or without one to the last, if that has not been signed yet. */
export const joinItems = (items: readonly unknown[], piece: unknown): readonly unknown[] => {
  if (!isRecord(piece)) return [...items, piece]
  const at = items.findLastIndex((item, index) => isRecord(item) && isSameItem(item, piece, index === items.length - 1))
  const item = items[at]
  return isRecord(item) ? items.with(at, joinFields(item, piece)) : [...items, piece]
}

const isSameItem = (item: OpaqueFields, piece: OpaqueFields, isLast: boolean): boolean => {
  if (item["type"] !== piece["type"] && !isEmpty(piece["type"])) return false
  if (!isEmpty(piece["index"])) return item["index"] === piece["index"]
  const isGrowing = [...streamedTexts].some((key) => typeof item[key] === "string" || Array.isArray(item[key]))
  return isLast && isGrowing && isEmpty(item["signature"])
}
