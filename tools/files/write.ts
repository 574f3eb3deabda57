import { writeInputSchema } from "../../contracts/tool-input.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { withLineEndsOf } from "./apply-edit.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { confinePath } from "./confined-path.ts"
import { byteOrderMark, readTextFile, type TextFile } from "./read-text-file.ts"
import { hashOfBytes } from "../protection/content.ts"
import { defineTool, type ToolContext } from "../tool.ts"
import { writeApproved } from "../protection/write-approved.ts"
import { answeringFailures, ToolFailure } from "../tool-failure.ts"

const lineCount = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length)

/** Returns the file that a call replaces; undefined if there is none. @throws ToolFailure if its content cannot be written as text */
export const replacedFile = async (path: ConfinedPath): Promise<TextFile | undefined> => {
  try {
    return await readTextFile(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** Throws a `ToolFailure` if the agent would replace or remove a content that it does not know, and nobody has decided that. */
export const refuseUnseen = async (
  path: ConfinedPath,
  { sha256, text }: Pick<TextFile, "sha256" | "text">,
  context: ToolContext,
): Promise<void> => {
  const { seenContent, isDecided } = context
  if (seenContent === undefined || isDecided === true || text === "") return
  const seen = await seenContent(path.shown)
  if (seen === undefined) throw new ToolFailure(`${path.shown} exists and was not read in this session: read it first`)
  if (seen !== sha256) throw new ToolFailure(`${path.shown} has changed since it was read: read it again`)
}

/** Returns the content to write, with the line ends and the byte order mark of the file that it replaces, and what was kept of them. */
const keeping = ({ text, byteOrderMark: mark }: TextFile, content: string) => {
  const plain = withLineEndsOf(text, content)
  const needsMark = mark !== "" && !plain.startsWith(byteOrderMark)
  const kept = [
    ...(plain === content ? [] : [plain.includes("\r\n") ? "CRLF line ends" : "LF line ends"]),
    ...(needsMark ? ["byte order mark"] : []),
  ]
  return { content: needsMark ? mark + plain : plain, kept }
}

export const write = defineTool({
  name: "Write",
  description: `Writes a complete file: creates it, with its parent directories, or replaces its content.
- An existing file is replaced only if you have read it as it is now. To change parts of it, use Edit or MultiEdit, which cost less and keep the rest.
- content is the complete new content of the file. The mode, the line ends and the byte order mark of an existing file are kept.
- Write only files that the task needs.`,
  input: writeInputSchema,
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  rewrites: ({ content }, before) => (before === undefined ? content : withLineEndsOf(before, content)),
  execute: answeringFailures(async (input, context) => {
    const path = await confinePath(input.file_path, context, "write")
    const file = await replacedFile(path)
    if (file !== undefined) await refuseUnseen(path, file, context)
    const { content, kept } = file === undefined ? { content: input.content, kept: [] } : keeping(file, input.content)
    const { created } = await writeApproved(path, content, context, file?.version ?? "absent")
    const bytes = Buffer.from(content)
    const sha256 = hashOfBytes(bytes)
    const size = `${lineCount(content)} lines, ${bytes.length} bytes`
    const note = kept.length === 0 ? "" : ` Its ${kept.join(" and ")} were kept.`
    return {
      content: `${created ? "Created" : "Replaced"} ${path.shown} (${size}).${note}`,
      touched: { path: path.shown, seen: sha256, written: sha256 },
    }
  }),
})
