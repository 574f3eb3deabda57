import { isRecord } from "../is-record.ts"

/**
 * Returns a value whose every text is well formed: half a surrogate pair becomes U+FFFD, since providers refuse a request that contains one. A value that
 * is well formed is returned itself, without a copy.
 */
export const wellFormed = <Value>(value: Value): Value =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the characters of its texts are others
  repaired(value) as Value

const repaired = (value: unknown): unknown => {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) {
    const items = value.map(repaired)
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isRecord(value) || !isPlain(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key.toWellFormed(), repaired(item)] as const)
  return entries.every(([key, item]) => Object.hasOwn(value, key) && value[key] === item)
    ? value
    : Object.fromEntries(entries)
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Returns at most the first `most` characters of a text. Ends before a character that would be cut in half. */
export const startOf = (text: string, most: number): string => {
  if (text.length <= most) return text
  return text.slice(0, most > 0 && isPair(text, most - 1) ? most - 1 : most)
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff
