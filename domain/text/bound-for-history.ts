import { startOf } from "./foreign/well-formed.ts"

/** What one payload of the engine's history may contain, in characters. The engine's own limit for a payload is 2 MB. */
export interface HistoryLimits {
  /** Longest text. */
  readonly text: number
  /** Longest list. */
  readonly items: number
  /** Length of the whole value as JSON. */
  readonly total: number
}

/** The default limits. Texts that the store needs in full are written there by the activity itself. */
export const resultLimits: HistoryLimits = { text: 16_384, items: 1_000, total: 262_144 }

/** The limits of inputs, which carry the texts that people sent to the store, up to `maxWaitingCharacters` in total. */
export const inputLimits: HistoryLimits = { text: 600_000, items: 10_000, total: 640_000 }

/** Longest message of an error. */
export const maxErrorCharacters = 2_048

const shortestText = 64
const fewestItems = 4
const marker = (length: number): string => `… (cut: ${length} characters)`

/** Returns the text cut to a number of characters, including the marker for the cut. */
export const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text
  const end = marker(text.length)
  return `${startOf(text, Math.max(0, most - end.length))}${end}`
}

const cut = (value: unknown, limits: HistoryLimits): unknown => {
  if (typeof value === "string") return cutText(value, limits.text)
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => cut(item, limits))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, limits)]))
}

const lengthOf = (value: unknown): number => (JSON.stringify(value) ?? "").length

/**
 * Returns the value within the limits of the history: unchanged if it is small, otherwise with long texts cut, each with a marker, and long lists
 * shortened. Texts and then lists are cut further until the whole fits. Returns undefined if it does not fit even then.
 */
export const boundForHistory = <Value>(value: Value, limits: HistoryLimits): { readonly value: Value } | undefined => {
  if (lengthOf(value) <= Math.min(limits.text, limits.items)) return { value }
  let { text, items } = limits
  while (items >= fewestItems) {
    const bounded = cut(value, { ...limits, text, items })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts and lists are shorter
    if (lengthOf(bounded) <= limits.total) return { value: bounded as Value }
    if (text > shortestText) text = Math.max(shortestText, Math.floor(text / 4))
    else items = Math.floor(items / 4)
  }
  return undefined
}
