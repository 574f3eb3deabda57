import { readInputSchema, type ReadInput } from "../../contracts/tool-input.ts"
import { isAbsolute } from "node:path"
import { confinePath } from "./confined-path.ts"
import { outputLimits } from "../cut-output.ts"
import { numberedLines } from "./text-lines.ts"
import { inspectWhole, type WholeFile } from "./read-text-file.ts"
import { type ReadLines, readLines } from "./read-lines.ts"
import { type ConfinedPath, openFile } from "../disk/open-confined.ts"
import { readMediaFile } from "../media/read-media.ts"
import { defineTool, type ToolMedia, type ToolResult, type TouchedFile } from "../tool.ts"
import { answeringFailures, ToolFailure } from "../tool-failure.ts"

const defaultLines = 2_000
const maxLineCharacters = 2_000

const notReadOn = (readBytes: number): string =>
  `only the first ${readBytes / 1024 / 1024} MiB of a file are read; for the rest, use Bash, for example with tail or sed`

const present = (shown: string, first: number, read: ReadLines): string => {
  if (read.lines.length === 0) {
    if (read.readBytes !== undefined) throw new ToolFailure(notReadOn(read.readBytes))
    if (read.seen === 0) return `${shown} exists but is empty.`
    throw new ToolFailure(`${shown} has only ${read.seen} lines, and offset ${first} is past its end`)
  }
  const text = numberedLines(read.lines, first)
  if (read.readBytes !== undefined) return `${text}\n\n[The file continues, but ${notReadOn(read.readBytes)}.]`
  return read.more ? `${text}\n\n[The file continues. Read again with offset ${read.seen + 1} to see more.]` : text
}

/** Bytes that are not UTF-8 are lost in what the model reads: a file that is written from it would be another. */
const strangeNote = (shown: string, { strangeLine }: WholeFile): string =>
  strangeLine === undefined
    ? ""
    : `\n\n[${shown} is not UTF-8 text: from line ${strangeLine} on, bytes that are not UTF-8 are shown as \ufffd. ` +
      "Write and Edit refuse it; change it with a program that supports its encoding.]"

/** A file with the complete output of a tool has an absolute path, and cannot be written. */
const touchedBy = ({ shown }: ConfinedPath, whole: WholeFile | undefined): TouchedFile | undefined =>
  whole === undefined || isAbsolute(shown) ? undefined : { path: shown, seen: whole.sha256 }

const shownWhole = (media: ToolMedia, { offset, limit }: ReadInput): ToolResult => {
  if (offset !== undefined || limit !== undefined)
    throw new ToolFailure(`${media.name} is an image or a PDF, which has no lines: read it without offset and limit`)
  return { content: "", media: [media] }
}

export const read = defineTool<ReadInput>({
  name: "Read",
  description: `Reads a file. Of a text file, it shows the lines with numbers, as cat -n does: number, tab, line. The numbers are not part of the file.
- By default, it shows the first ${defaultLines} lines. For a long file, find the place with Grep, then give offset (first line, counted from 1) and limit.
- Lines longer than ${maxLineCharacters} characters are cut, and the last line says how to read more.
- It also reads the files with complete output that other tools name.
- Images (PNG, JPEG, GIF, WebP) and PDF files are shown as they are, if the model in use accepts them. Other binary files cannot be read.
- For directories, use LS.
Read several files that you need in one step.`,
  input: readInputSchema,
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: answeringFailures(async (input, context) => {
    const path = await confinePath(input.file_path, context, "read")
    const handle = await openFile(path)
    try {
      const media = await readMediaFile(handle, path.shown)
      if (media !== undefined) return shownWhole(media, input)
      const first = Math.max(1, input.offset ?? 1)
      const range = {
        first,
        maxLines: input.limit ?? defaultLines,
        maxCharacters: outputLimits.otherCharacters,
        maxLineCharacters,
        signal: context.signal,
      }
      const content = present(path.shown, first, await readLines(handle, path.shown, range))
      const whole = await inspectWhole(handle)
      const touched = touchedBy(path, whole)
      return {
        content: whole === undefined ? content : `${content}${strangeNote(path.shown, whole)}`,
        ...(touched === undefined ? {} : { touched }),
      }
    } finally {
      await handle.close()
    }
  }),
})
