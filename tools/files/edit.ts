import { counted } from "../../domain/text/figures.ts"
import { editInputSchema, multiEditInputSchema } from "../../contracts/tool-input.ts"
import { editFile, editText } from "./edit-file.ts"
import { defineTool } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

export const edit = defineTool({
  name: "Edit",
  description: `Replaces text in one file.
- old_string must be the exact text of the file, with its indentation, and without the line numbers that Read shows. Read the file first.
- It must occur exactly once: add neighbouring lines to make it unique, or set replace_all to change every occurrence (for renaming).
- The file's line ends (LF or CRLF) and byte order mark are kept.
- For several changes to one file, use MultiEdit. For a new file, or to replace all of it, use Write.
The result shows the changed lines.`,
  input: editInputSchema,
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  rewrites: ({ file_path, ...change }, before) => editText(file_path, before, [change]),
  execute: answeringFailures(async ({ file_path, ...change }, context) => {
    const edited = await editFile(file_path, [change], context)
    const places = counted(edited.replacements, "place")
    return {
      content: `Changed ${edited.shown} in ${places}. ${edited.replacements === 1 ? "It" : "The first"} now reads:\n${edited.snippet}`,
      touched: edited.touched,
    }
  }),
})

export const multiEdit = defineTool({
  name: "MultiEdit",
  description: `Makes several replacements in one file, all of them or none.
- Edits are applied in order, each to the result of the previous one, so make sure that an earlier edit does not change the old_string of a later one.
- Every edit follows the rules of Edit: exact text that occurs once, or replace_all.
- If one edit fails, the file is unchanged and the result names the edit.
Prefer it to several calls of Edit on the same file.`,
  input: multiEditInputSchema,
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  rewrites: ({ file_path, edits }, before) => editText(file_path, before, edits),
  execute: answeringFailures(async (input, context) => {
    const edited = await editFile(input.file_path, input.edits, context)
    return {
      content: `Made ${input.edits.length} edits in ${edited.shown} (${edited.replacements} replacements). Around the last one it now reads:\n${edited.snippet}`,
      touched: edited.touched,
    }
  }),
})
