import { structuredPatch } from "diff"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import { visible } from "../../domain/text/visible.ts"
import { type FilePatch, parsePatch } from "../../domain/tools/parse-patch.ts"
import { callParts, diffOf, type ShownCall } from "../shown/call-parts.ts"

/** What a call changed in a file. `note` says what is not known about it. */
export interface MadeDiff {
  readonly diff: string
  readonly note?: string
}

const replacedNote = "This replaced the whole file. What the file contained before is not known here."
const unplacedNote = "The place in the file, and the lines around it, are not known here."

const createdDiff = (content: string): MadeDiff => {
  const diff = diffOf("", content)
  if (diff === "") return { diff, note: "This created an empty file." }
  return { diff: visible(`@@ -0,0 +1,${diff.split("\n").length} @@\n${diff}`) }
}

interface Snippet {
  readonly first: number
  readonly text: string
}

const onePlace = " in 1 place. It now reads:\n"
const isCutLine = /… \[\d+ more characters in this line\]$/

/** Reads the numbered lines with which the result of an edit in one place shows what the file contains now. */
const snippetOf = (result: string): Snippet | undefined => {
  const end = result.indexOf(onePlace)
  if (!result.startsWith("Changed ") || end === -1) return undefined
  const lines = result
    .slice(end + onePlace.length)
    .split("\n")
    .map((line) => /^ *(\d+)\t([^]*)$/.exec(line))
  const first = Number(lines[0]?.[1])
  const isWhole = lines.every(
    (line, at) => line !== null && Number(line[1]) === first + at && !isCutLine.test(line[2] ?? ""),
  )
  return isWhole ? { first, text: lines.map((line) => line?.[2]).join("\n") } : undefined
}

const unixLines = (text: string): string => text.replaceAll("\r\n", "\n")

/** Above this length, the texts of an edit are not compared line by line. */
const mostCharacters = 50_000

/** Returns what a patch did in one of its files, as far as the patch alone tells. */
const patchedDiff = (file: FilePatch): MadeDiff => {
  switch (file.kind) {
    case "add":
      return createdDiff(file.text)
    case "delete":
      return { diff: "", note: "This removed the file." }
    case "update": {
      const hunks = file.hunks.map(({ lines }) => ["@@", ...lines.map(({ sign, text }) => sign + text)].join("\n"))
      const moved = file.moveTo === undefined ? "" : ` The file was moved to ${file.moveTo}.`
      return { diff: visible(hunks.join("\n")), note: visible(`${unplacedNote}${moved}`) }
    }
  }
}

/** Returns what a patch did, by file. */
export const diffsOfPatch = (patch: string): readonly (MadeDiff & { readonly file: string })[] => {
  const parsed = parsePatch(patch)
  return "problem" in parsed ? [] : parsed.files.map((file) => ({ file: file.path, ...patchedDiff(file) }))
}

/** Returns the change of an edit as a hunk with line numbers, if its result shows where the new text is. Undefined if it can be at several places. */
const placedDiff = (before: string, after: string, result: string): string | undefined => {
  const snippet = snippetOf(result)
  if (snippet === undefined || after === "" || before.length > mostCharacters) return undefined
  const { first, text } = snippet
  const at = text.indexOf(after)
  if (at === -1 || text.includes(after, at + 1)) return undefined
  const old = text.slice(0, at) + before + text.slice(at + after.length)
  const { hunks } = structuredPatch("", "", old, text, "", "", { context: 3 })
  return hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart + first - 1},${oldLines} +${newStart + first - 1},${newLines} @@`,
      ...lines.filter((line) => !line.startsWith("\\")),
    ])
    .join("\n")
}

const editDiff = ({ arguments: args }: ShownCall, result: string): string | undefined => {
  const { old_string: before, new_string: after } = args
  return typeof before === "string" && typeof after === "string"
    ? placedDiff(unixLines(before), unixLines(after), result)
    : undefined
}

/**
 * Returns what a call that succeeded changed, as exactly as its arguments, its result and the preview that was approved tell. A preview counts only if the
 * file was then as it was shown: the caller passes no other one.
 */
export const madeDiff = (call: ShownCall, result: string, preview: CallPreview | undefined): MadeDiff => {
  if (preview?.diff !== undefined && preview.is_cut !== true) return { diff: preview.diff }
  const { name, arguments: args } = call
  if (name === "Write" && typeof args["content"] === "string")
    return result.startsWith("Created ")
      ? createdDiff(args["content"])
      : { diff: visible(diffOf("", args["content"])), note: replacedNote }
  const placed = name === "Edit" ? editDiff(call, result) : undefined
  if (placed !== undefined) return { diff: visible(placed) }
  const diffs = callParts(call).flatMap((part) => (part.kind === "diff" ? [part.text] : []))
  return { diff: diffs.join("\n"), note: unplacedNote }
}
