import { multiEditInputSchema } from "../../contracts/tool-input.ts"
import { editFile } from "./edit-file.ts"
import { defineTool } from "../tool.ts"
import { answeringFailures } from "../tool-failure.ts"

export const multiEdit = defineTool({
  name: "MultiEdit",
  description: `Makes several replacements in one file, all of them or none.
- Edits are applied in order; each sees the result of the one before, so make sure that an earlier edit does not change what a later one looks for.
- Every edit follows the rules of Edit: exact text that occurs once, or replace_all.
- When one edit fails, the file stays as it was and the answer names the edit.
Prefer this to several calls of Edit on the same file.`,
  input: multiEditInputSchema,
  idempotent: false,
  readOnly: false,
  execute: answeringFailures(async (input, context) => {
    const edited = await editFile(input.file_path, input.edits, context)
    return {
      content: `Made ${input.edits.length} edits in ${edited.shown} (${edited.replacements} replacements). Around the last one it now reads:\n${edited.snippet}`,
    }
  }),
})
