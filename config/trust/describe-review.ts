import type { Danger } from "./list-dangers.ts"
import { hashOfValue, keyOf, type TrustReview } from "./review-trust.ts"
import { dangers as reasons } from "./trust-rule.ts"

const shownCharacters = 400

/** Everything but letters, digits, punctuation, symbols and spaces; and letters and symbols that show nothing. */
const invisible = /[^\p{L}\p{N}\p{P}\p{S} ]|[\u115f\u1160\u3164\uffa0\u2800]/gu

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Returns a text in which every character can be seen, shortened if it is long. */
export const visibleText = (text: string): string => {
  const shown = text.slice(0, shownCharacters).replace(invisible, escaped)
  return text.length > shownCharacters ? `${shown}… (${text.length - shownCharacters} more characters)` : shown
}

const newness = (danger: Danger, { record }: TrustReview): string => {
  if (record === undefined) return ""
  const key = keyOf(danger)
  if (!Object.hasOwn(record.keys, key)) return " (new)"
  return record.keys[key] === hashOfValue(danger) ? "" : " (changed)"
}

const fileChanges = ({ files, record }: TrustReview): readonly string[] => {
  if (record === undefined) return []
  return [...new Set([...Object.keys(record.files), ...Object.keys(files)])].flatMap((path) => {
    const before = Object.hasOwn(record.files, path)
    const after = Object.hasOwn(files, path)
    if (before && after && record.files[path] === files[path]) return []
    return [
      `the file ${visibleText(path)} ${before && after ? "has changed" : before ? "is no longer used" : "is new"}`,
    ]
  })
}

/** Returns one line for each key that needs trust, with its value; after a change, also what has changed. */
export const describeReview = (review: TrustReview): readonly string[] => [
  ...fileChanges(review),
  ...review.dangers.map(
    (danger) =>
      `${visibleText(keyOf(danger))}: ${reasons[danger.kind]}: ${visibleText(JSON.stringify(danger.value))}${newness(danger, review)}`,
  ),
]
