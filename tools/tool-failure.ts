import { systemCode } from "../domain/text/error-message.ts"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import type { ToolContext, ToolResult } from "./tool.ts"

/** An expected failure inside a built-in tool: its message goes to the model, which can act on it. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure"
}

const fileSystemFailures: Readonly<Record<string, string>> = {
  ENOENT: "No such file or directory. Check the path with LS or Glob.",
  EACCES: "Permission denied by the file system.",
  EPERM: "Operation not permitted by the file system.",
  EISDIR: "That is a directory, not a file.",
  ENOTDIR: "A part of the path is a file, not a directory.",
  ENOTEMPTY: "The directory is not empty.",
  EEXIST: "A part of the path is a file, not a directory.",
  ENOSPC: "No space is left on the disk.",
  EDQUOT: "The disk quota is used up.",
  EROFS: "The file system is read-only.",
  ENAMETOOLONG: "The path is too long.",
  ELOOP: "The path has a loop of symbolic links, or was replaced by a link while it was being opened.",
  EBUSY: "The file is busy.",
  ETXTBSY: "The file is a program that is running.",
}

const failureText = (error: unknown): string | undefined => {
  if (error instanceof ToolFailure || isAdjutantError(error)) return error.message
  return fileSystemFailures[systemCode(error) ?? ""]
}

/** Turns expected failures into results with `isError`; throws the signal's reason on abort, and bugs as they are. */
export const answeringFailures =
  <Input>(execute: (input: Input, context: ToolContext) => Promise<ToolResult>) =>
  async (input: Input, context: ToolContext): Promise<ToolResult> => {
    context.signal.throwIfAborted()
    try {
      return await execute(input, context)
    } catch (error) {
      context.signal.throwIfAborted()
      const content = failureText(error)
      if (content === undefined) throw error
      return { content, isError: true }
    }
  }
