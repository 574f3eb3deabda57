import { writeInputSchema } from "../../contracts/tool-input.ts"
import { confinePath } from "./confined-path.ts"
import { defineTool } from "../tool.ts"
import { writeApproved } from "../protection/write-approved.ts"
import { answeringFailures } from "../tool-failure.ts"

const lineCount = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length)

export const write = defineTool({
  name: "Write",
  description: `Writes a complete file: creates it, with its parent directories, or replaces its content.
- Read an existing file before you replace it. To change parts of it, use Edit or MultiEdit, which cost less and keep the rest.
- content is the complete new content of the file. The file's mode is kept.
- Write only files that the task needs.`,
  input: writeInputSchema,
  idempotent: false,
  readOnly: false,
  writes: ({ file_path }) => [file_path],
  rewrites: ({ content }) => content,
  execute: answeringFailures(async (input, context) => {
    const path = await confinePath(input.file_path, context, "write")
    const { created } = await writeApproved(path, input.content, context)
    const size = `${lineCount(input.content)} lines, ${Buffer.byteLength(input.content)} bytes`
    return { content: `${created ? "Created" : "Replaced"} ${path.shown} (${size}).` }
  }),
})
