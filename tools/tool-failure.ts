import { systemCode } from "../domain/text/error-message.ts"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import type { ToolContext, ToolResult } from "./tool.ts"

/** An expected failure of a built-in tool. The model is told its message and can act on it. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure"
}

const fileSystemFailures: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory; check the path with LS or Glob",
  EACCES: "permission denied by the file system",
  EPERM: "operation not permitted by the file system",
  EISDIR: "the path is a directory, not a file",
  ENOTDIR: "a part of the path is a file, not a directory",
  ENOTEMPTY: "the directory is not empty",
  EEXIST: "a part of the path is a file, not a directory",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "the path contains a loop of symbolic links, or was replaced by a link while it was being opened",
  EBUSY: "the file is busy",
  ETXTBSY: "the file is a running program",
}

/** Returns the message of an expected failure; undefined for a bug. */
export const expectedFailureText = (error: unknown): string | undefined => {
  if (error instanceof ToolFailure || isAdjutantError(error)) return error.message
  return fileSystemFailures[systemCode(error) ?? ""]
}

/** Turns expected failures into results with `isError`. Throws the signal's reason on abort; other errors are bugs and are thrown unchanged. */
export const answeringFailures =
  <Input>(execute: (input: Input, context: ToolContext) => Promise<ToolResult>) =>
  async (input: Input, context: ToolContext): Promise<ToolResult> => {
    context.signal.throwIfAborted()
    try {
      return await execute(input, context)
    } catch (error) {
      context.signal.throwIfAborted()
      const content = expectedFailureText(error)
      if (content === undefined) throw error
      return { content, isError: true }
    }
  }
