import { readFile } from "node:fs/promises"
import path from "node:path"
import { wrongUsage } from "../wrong-usage.ts"
import type { CliContext } from "../program/cli-context.ts"

const maxPromptBytes = 4 * 1024 * 1024

/**
 * The text that was given: as an argument, by `--prompt-file`, or on stdin (`-`); undefined where there is none.
 * Throws `invalid_argument` where it is given twice, empty, unreadable or longer than 4 MiB.
 */
export const readPrompt = async (
  context: Pick<CliContext, "io" | "cwd">,
  argument: string | undefined,
  promptFile: string | undefined,
): Promise<string | undefined> => {
  if (argument !== undefined && promptFile !== undefined)
    throw wrongUsage("Give the text as an argument or by --prompt-file, not both.")
  if (promptFile !== undefined)
    return checked(await readPromptFile(path.resolve(context.cwd, promptFile), promptFile), "--prompt-file")
  if (argument === "-") return checked(await readAll(context.io.stdin), "stdin")
  return argument === undefined ? undefined : checked(argument, "the prompt")
}

const checked = (text: string, origin: string): string => {
  if (text.trim() === "") throw wrongUsage(`The text from ${origin} is empty.`)
  if (Buffer.byteLength(text) > maxPromptBytes) throw wrongUsage(`The text from ${origin} is longer than 4 MiB.`)
  return text
}

const readPromptFile = async (file: string, shown: string): Promise<string> => {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    throw wrongUsage(`--prompt-file ${shown} cannot be read${code}.`, { cause: error })
  }
}

const readAll = async (stream: AsyncIterable<Uint8Array | string>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const buffer = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    bytes += buffer.byteLength
    if (bytes > maxPromptBytes) throw wrongUsage("The text from stdin is longer than 4 MiB.")
    chunks.push(buffer)
  }
  return Buffer.concat(chunks).toString("utf8")
}
