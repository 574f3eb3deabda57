import { setImmediate } from "node:timers/promises"
import type { TextEdit } from "../../contracts/tool-input.ts"
import { applyEdit } from "./apply-edit.ts"
import { confinePath } from "./confined-path.ts"
import { cutLine, numberedLines } from "./text-lines.ts"
import { readTextFile } from "./read-text-file.ts"
import { writeApproved } from "../protection/write-approved.ts"
import { hashOfBytes } from "../protection/content.ts"
import type { ToolContext, TouchedFile } from "../tool.ts"
import { ToolFailure } from "../tool-failure.ts"

/** The result of edits: the file's name, the number of replacements, and a few lines around the last edit. */
export interface EditedFile {
  readonly shown: string
  readonly replacements: number
  readonly snippet: string
  readonly touched: TouchedFile
}

const linesAround = 4
const maxSnippetLines = 40
const maxLineCharacters = 500

const snippetAt = (text: string, start: number, length: number): string => {
  const first = Math.max(0, text.slice(0, start).split("\n").length - 1 - linesAround)
  const last = text.slice(0, start + length).split("\n").length + linesAround
  const lines = text.split(/\r?\n/).slice(first, Math.min(last, first + maxSnippetLines))
  return numberedLines(
    lines.map((line) => cutLine(line, maxLineCharacters)),
    first + 1,
  )
}

const numbered = (error: unknown, index: number, total: number): unknown =>
  error instanceof ToolFailure && total > 1
    ? new ToolFailure(`edit ${index + 1} of ${total} failed and the file is unchanged: ${error.message}`)
    : error

const unchanged = (): ToolFailure => new ToolFailure("the edits undo each other, so that the file would not change")

/** Returns the text of a file after edits that are applied in order. @throws ToolFailure if one of them fails */
export const editText = (path: string, before: string | undefined, edits: readonly TextEdit[]): string => {
  if (before === undefined) throw new ToolFailure(`${path} does not exist`)
  let text = before
  for (const [index, edit] of edits.entries())
    try {
      text = applyEdit(text, edit).text
    } catch (error) {
      throw numbered(error, index, edits.length)
    }
  if (text === before) throw unchanged()
  return text
}

/** Applies edits in order, each to the result of the previous one, and writes the file once, with all of them or none. */
export const editFile = async (
  requested: string,
  edits: readonly TextEdit[],
  context: ToolContext,
): Promise<EditedFile> => {
  const path = await confinePath(requested, context, "write")
  const file = await readTextFile(path)
  let text = file.text
  let replacements = 0
  let snippet = ""
  for (const [index, edit] of edits.entries()) {
    // Each edit of a large file takes a moment: the process can do other work between them.
    await setImmediate()
    context.signal.throwIfAborted()
    try {
      const applied = applyEdit(text, edit)
      text = applied.text
      replacements += applied.count
      snippet = snippetAt(text, applied.at, edit.new_string.length)
    } catch (error) {
      throw numbered(error, index, edits.length)
    }
  }
  if (text === file.text) throw unchanged()
  const content = file.byteOrderMark + text
  const isSeen = (await context.seenContent?.(path.shown)) === file.sha256
  await writeApproved(path, content, context, file.version)
  const written = hashOfBytes(Buffer.from(content))
  // The result shows the changed lines only: who had not read the rest still has not.
  const touched = { path: path.shown, written, ...(isSeen ? { seen: written } : {}) }
  return { shown: path.shown, replacements, snippet, touched }
}
