import { hasBytesAt } from "./media-type.ts"

/** What a PDF says in those of its parts that are not compressed. */
export interface PdfScan {
  readonly isEncrypted: boolean
  readonly pages?: number
}

const names = ["Type", "Pages", "Page", "Count", "Linearized", "N", "Encrypt"] as const
type Name = (typeof names)[number]

const slash = 0x2f
const endOfDictionary = 0x3e
const firstOfObject = 0x6f
const blanks: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32])
/** Of `()<>[]{}/%`. */
const delimiters: ReadonlySet<number> = new Set([0x28, 0x29, 0x3c, 0x3e, 0x5b, 0x5d, 0x7b, 0x7d, 0x2f, 0x25])
const mostPages = 9_999_999

const isBlank = (byte: number): boolean => blanks.has(byte)
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

const skip = (bytes: Uint8Array, from: number, isSkipped: (byte: number) => boolean): number => {
  let at = from
  for (let byte = bytes[at]; byte !== undefined && isSkipped(byte); byte = bytes[at]) at += 1
  return at
}

/** The names that begin with each byte. A file can consist of slashes, and most begin none of these. */
const namesByFirst: ReadonlyMap<number | undefined, readonly Name[]> = Map.groupBy(names, (name) => name.charCodeAt(0))

/** Returns the name that a slash begins, if it is one of those that count. */
const nameAt = (bytes: Uint8Array, at: number): Name | undefined => {
  if (bytes[at] !== slash) return undefined
  return namesByFirst.get(bytes[at + 1])?.find((name) => {
    if (!hasBytesAt(bytes, at + 1, name)) return false
    const next = bytes[at + 1 + name.length]
    return next === undefined || isBlank(next) || delimiters.has(next)
  })
}

/** Returns the number after a name; 0 if there is none. */
const numberAt = (bytes: Uint8Array, from: number): number => {
  let value = 0
  for (let at = skip(bytes, from, isBlank); isDigit(bytes[at] ?? 0); at += 1)
    value = Math.min(mostPages, value * 10 + (bytes[at] ?? 0) - 0x30)
  return value
}

/** Returns whether a reference to an object follows, such as `9 0 R`. */
const isReferenceAt = (bytes: Uint8Array, from: number): boolean => {
  let at = from
  for (const isSkipped of [isBlank, isDigit, isBlank, isDigit, isBlank]) {
    const end = skip(bytes, at, isSkipped)
    if (end === at) return false
    at = end
  }
  return hasBytesAt(bytes, at, "R")
}

/** More digits than the number of an object has. */
const mostDigits = 10

/** Returns the number of the object that the word `obj` at a place begins, as in `9 0 obj`; undefined if it begins none. */
const objectAt = (bytes: Uint8Array, at: number): number | undefined => {
  let end = at
  for (const isPart of [isBlank, isDigit, isBlank, isDigit]) {
    let start = end
    while (start > 0 && end - start < mostDigits && isPart(bytes[start - 1] ?? 0)) start -= 1
    if (start === end) return undefined
    end = start
  }
  return numberAt(bytes, end)
}

/**
 * Reads a PDF in one pass, whose length depends on the number of bytes alone: a byte is looked at again only if it directly follows a name, or is directly
 * before the word `obj`. The number of pages is the largest that a place says: the linearisation, the page tree, the pages themselves. It is an upper bound:
 * a file that was changed and saved at its end has what was there before, too. A page that was changed in this way counts once.
 */
export const scanPdf = (bytes: Uint8Array): PdfScan => {
  let pages = 0
  const single = new Set<number>()
  let object = 0
  let isEncrypted = false
  let dictionary = { isTree: false, isLinear: false, count: 0, linear: 0 }
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === firstOfObject && hasBytesAt(bytes, at, "obj")) object = objectAt(bytes, at) ?? object
    if (bytes[at] === endOfDictionary) dictionary = { isTree: false, isLinear: false, count: 0, linear: 0 }
    const name = bytes[at] === slash ? nameAt(bytes, at) : undefined
    if (name === undefined) continue
    at += name.length
    const value = at + 1
    if (name === "Type") {
      const type = nameAt(bytes, skip(bytes, value, isBlank))
      dictionary.isTree ||= type === "Pages"
      if (type === "Page") single.add(object)
    } else if (name === "Count") dictionary.count = Math.max(dictionary.count, numberAt(bytes, value))
    else if (name === "Linearized") dictionary.isLinear = true
    else if (name === "N") dictionary.linear = Math.max(dictionary.linear, numberAt(bytes, value))
    else if (name === "Encrypt") isEncrypted ||= isReferenceAt(bytes, value)
    if (dictionary.isTree) pages = Math.max(pages, dictionary.count)
    if (dictionary.isLinear) pages = Math.max(pages, dictionary.linear)
  }
  pages = Math.max(pages, single.size)
  return { isEncrypted, ...(pages > 0 ? { pages } : {}) }
}
