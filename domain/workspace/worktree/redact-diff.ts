import { type Redact, redactionMark, shortestSecret } from "../../text/redact.ts"

/** A shorter line of a secret can be in any file, and says little of the secret. */
const shortestLine = 16
/** The first and the last line of a key are the same in all keys. */
const armour = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/
const hunkHead = /^@@ [^@]* @@ /

type Lines = readonly string[]

/** A part of a line that is, or is a part of, a secret. */
interface Found {
  readonly line: number
  readonly start: number
  readonly end: number
}

const lastBreaks = /(\r?\n)+$|^(\r?\n)+/g

const linesOf = (secret: string): Lines => secret.replaceAll(lastBreaks, "").split(/\r?\n/)

/** Returns the indexes of the lines of one version of a file, as far as they follow each other in it. */
const blocksOf = (diff: Lines, side: "+" | "-"): readonly (readonly number[])[] => {
  const blocks: number[][] = [[]]
  for (const [index, line] of diff.entries()) {
    const mark = line[0] ?? ""
    if (mark === " " || mark === side) blocks.at(-1)?.push(index)
    else if (!"+-\\".includes(mark) || mark === "") blocks.push([])
  }
  return blocks
}

const lineText = (line: string): string => line.slice(1).replace(/\r$/, "")

/** Returns the secret if it begins in the first of some lines: it can begin and end within a line. */
const secretAt = (diff: Lines, block: readonly number[], secret: Lines): readonly Found[] => {
  const last = secret.length - 1
  const found = secret.map((part, index): Found | undefined => {
    const line = block[index]
    const text = line === undefined ? undefined : lineText(diff[line] ?? "")
    if (line === undefined || text === undefined) return undefined
    const start = index === 0 ? text.length - part.length : 0
    const end = index === last ? part.length : text.length
    const isPart = start >= 0 && text.slice(start, end) === part
    return isPart ? { line, start: start + 1, end: end + 1 } : undefined
  })
  return found.every((each) => each !== undefined) ? found : []
}

const isTelling = (part: string): boolean => part.length >= shortestLine && !armour.test(part)

/** Returns the parts of a secret of which a block, which shows a part of a file only, can contain the end at its beginning, or the beginning at its end. */
const cutSecrets = (diff: Lines, block: readonly number[], secret: Lines): readonly Found[] =>
  secret.slice(1).flatMap((_, index) => {
    const [head, tail] = [secret.slice(0, index + 1), secret.slice(index + 1)]
    return [
      ...(head.some(isTelling) ? secretAt(diff, block.slice(-head.length), head) : []),
      ...(tail.some(isTelling) ? secretAt(diff, block.slice(0, tail.length), tail) : []),
    ]
  })

const wholeSecrets = (diff: Lines, block: readonly number[], secret: Lines): readonly Found[] =>
  block.flatMap((first, at) =>
    lineText(diff[first] ?? "").endsWith(secret[0] ?? "")
      ? secretAt(diff, block.slice(at, at + secret.length), secret)
      : [],
  )

const severalLines = (diff: Lines, secrets: readonly Lines[]): readonly Found[] =>
  (["+", "-"] as const).flatMap((side) =>
    blocksOf(diff, side).flatMap((block) =>
      secrets.flatMap((secret) => [...wholeSecrets(diff, block, secret), ...cutSecrets(diff, block, secret)]),
    ),
  )

/** Returns lines of secrets that a diff contains without the others, and one in the head of a hunk, perhaps cut. */
const singleLines = (diff: Lines, secrets: readonly Lines[]): readonly Found[] => {
  const parts = [...new Set(secrets.flatMap((secret) => (secret.length === 1 ? secret : secret.filter(isTelling))))]
  return diff.flatMap((text, line) => {
    const head = hunkHead.exec(text)?.[0].length
    const tail = head === undefined ? "" : text.slice(head)
    return parts.flatMap((part): readonly Found[] => {
      if (head !== undefined && tail.length >= shortestLine && part.startsWith(tail))
        return [{ line, start: head, end: text.length }]
      const start = text.indexOf(part)
      return start === -1 ? [] : [{ line, start, end: start + part.length }]
    })
  })
}

const withMarks = (text: string, found: readonly Found[]): string => {
  let clean = ""
  let at = 0
  for (const { start, end } of found.toSorted((left, right) => left.start - right.start)) {
    if (start >= at) clean += `${text.slice(at, start)}${redactionMark}`
    at = Math.max(at, end)
  }
  return clean + text.slice(at)
}

/**
 * Redacts a diff, which has a mark before each line of a file: secrets of several lines are found without it, each in the version of the file that has it,
 * and so is each longer line of one. The number of lines stays the same.
 */
export const redactDiff = (diff: string, redact: Redact): string => {
  const secrets = (redact.secretLines?.() ?? [])
    .map(linesOf)
    .filter((secret) => secret.join("").length >= shortestSecret)
  const lines = diff.split("\n")
  const found = Map.groupBy(
    secrets.length === 0 ? [] : [...severalLines(lines, secrets), ...singleLines(lines, secrets)],
    ({ line }) => line,
  )
  const clean = lines.map((line, index) => withMarks(line, found.get(index) ?? []))
  const text = redact(clean.join("\n"))
  // A secret that seems to contain the marks of two lines.
  return text.split("\n").length === lines.length ? text : clean.map((line) => redact(line)).join("\n")
}
