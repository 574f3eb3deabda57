import { isRecord } from "../../domain/text/is-record.ts"
import { visible } from "../../domain/text/visible.ts"
import type { Danger } from "./list-dangers.ts"
import { dangerHash, dangerKey, type TrustReview } from "./review-trust.ts"
import { dangers as reasons } from "./trust-rule.ts"

const shownCharacters = 400

/** Line breaks, and marks that change how the character before them looks. */
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Returns a text of a project as one line in which every character can be seen, shortened if it is long. */
export const reviewedText = (text: string): string => {
  const shown = visible(text.slice(0, shownCharacters).replaceAll(/[\t\n\p{M}]/gu, escaped))
  return text.length > shownCharacters ? `${shown}… (${text.length - shownCharacters} more characters)` : shown
}

/** Maps of plain values, any of which can be a secret that does not belong in the file. */
const valueMaps: ReadonlySet<PropertyKey> = new Set(["env", "headers"])

/** Returns a value as people see it: of variables and headers only the names. */
const shownValue = ({ path, value }: Danger): string => {
  const isValueMap = valueMaps.has(path.at(-1) ?? "") && isRecord(value)
  return reviewedText(JSON.stringify(isValueMap ? Object.keys(value) : value))
}

const newness = (danger: Danger, { record }: TrustReview): string => {
  if (record === undefined) return ""
  const key = dangerKey(danger)
  if (!Object.hasOwn(record.keys, key)) return " (new)"
  return record.keys[key] === dangerHash(danger) ? "" : " (changed)"
}

const fileChanges = ({ files, record }: TrustReview): readonly string[] => {
  if (record === undefined) return []
  return [...new Set([...Object.keys(record.files), ...Object.keys(files)])].flatMap((path) => {
    const before = Object.hasOwn(record.files, path)
    const after = Object.hasOwn(files, path)
    if (before && after && record.files[path] === files[path]) return []
    return [
      `the file ${reviewedText(path)} ${before && after ? "has changed" : before ? "is no longer used" : "is new"}`,
    ]
  })
}

/** Returns one line for each key that needs trust, with its value; after a change, also what has changed. */
export const describeReview = (review: TrustReview): readonly string[] => [
  ...fileChanges(review),
  ...review.dangers.map(
    (danger) =>
      `${reviewedText(dangerKey(danger))}: ${reasons[danger.kind]}: ${shownValue(danger)}${newness(danger, review)}`,
  ),
]
