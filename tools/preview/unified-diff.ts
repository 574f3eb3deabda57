import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch } from "diff"
import { lineEnd, uniformLineEnd } from "../files/apply-edit.ts"

export interface UnifiedDiff {
  readonly text: string
  readonly added: number
  readonly removed: number
}

const contextLines = 3
const maxMs = 2_000

/** Line ends are left out where both texts have the same ones throughout. Otherwise, `\r` is part of the lines. */
const comparable = (before: string, after: string): readonly [string, string] =>
  uniformLineEnd(before) === "\r\n" && uniformLineEnd(after) === "\r\n"
    ? [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")]
    : [before, after]

/** Returns which line ends a change replaces, as words; undefined if it keeps them. */
export const lineEndChange = (before: string, after: string): string | undefined => {
  if (!before.includes("\n") || !after.includes("\n") || lineEnd(before) === lineEnd(after)) return undefined
  return lineEnd(after) === "\n" ? "line ends change from CRLF to LF" : "line ends change from LF to CRLF"
}

const patchOf = (
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<StructuredPatch | undefined> => {
  const [left, right] = comparable(before ?? "", after ?? "")
  const [oldName, newName] = [before, after].map((text) => (text === undefined ? "/dev/null" : path))
  return new Promise((resolve) =>
    structuredPatch(oldName ?? path, newName ?? path, left, right, undefined, undefined, {
      context: contextLines,
      timeout: maxMs,
      callback: resolve,
    }),
  )
}

/**
 * Returns a unified diff with line numbers in its hunks; `before` is undefined for a new file, `after` for one that is removed. The result is undefined if the texts are too
 * different to be compared in reasonable time.
 */
export const unifiedDiff = async (
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<UnifiedDiff | undefined> => {
  const patch = await patchOf(path, before, after)
  if (patch === undefined) return undefined
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return {
    text: formatPatch(patch, FILE_HEADERS_ONLY),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  }
}
