import { diffWordsWithSpace } from "diff"
import type { DiffLine } from "../../domain/preview/diff-lines.ts"

/** A part of a line, and whether it is what the change is about. */
export interface LinePart {
  readonly text: string
  readonly isChanged: boolean
}

/** Longer lines are not compared, nor are lines of which less than this share stays: they are other lines. */
const longest = 1_000
const leastShare = 0.3

type Parts = readonly LinePart[]

/** Returns the parts of a removed line and of the one that replaces it; undefined if they have too little in common. */
const compared = (before: string, after: string): readonly [before: Parts, after: Parts] | undefined => {
  if (before.length > longest || after.length > longest) return undefined
  const changes = diffWordsWithSpace(before, after)
  const same = changes.filter(({ added, removed }) => !added && !removed)
  const kept = same.reduce((sum, { value }) => sum + value.trim().length, 0)
  if (kept < leastShare * Math.max(before.trim().length, after.trim().length)) return undefined
  const partsOf = (other: "added" | "removed"): Parts =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }))
  return [partsOf("added"), partsOf("removed")]
}

/** Returns where the run of lines of a kind that begins at a place ends. */
const endOf = (lines: readonly DiffLine[], kind: DiffLine["kind"], from: number): number => {
  let end = from
  while (lines[end]?.kind === kind) end += 1
  return end
}

/**
 * Returns the parts of the lines that replace others, by index, without the sign of the line. Lines are paired in their order where as many are added as
 * removed: elsewhere it is not known which replaces which.
 */
export const changedWords = (lines: readonly DiffLine[]): ReadonlyMap<number, Parts> => {
  const found = new Map<number, Parts>()
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.kind !== "del") continue
    const middle = endOf(lines, "del", at)
    const count = middle - at
    if (endOf(lines, "ins", middle) - middle === count)
      for (let index = 0; index < count; index += 1) {
        const [left, right] = [at + index, middle + index]
        const parts = compared(lines[left]?.text.slice(1) ?? "", lines[right]?.text.slice(1) ?? "")
        if (parts === undefined) continue
        found.set(left, parts[0])
        found.set(right, parts[1])
      }
    at = middle - 1
  }
  return found
}
