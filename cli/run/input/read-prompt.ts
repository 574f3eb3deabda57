import { readFile } from "node:fs/promises"
import path from "node:path"
import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import type { CliContext } from "../../program/cli-context.ts"

const maxPromptBytes = 1_000_000

/**
 * Returns the text that was passed: as an argument, with `--prompt-file`, or on stdin (`-`); undefined if there is none.
 * Throws `invalid_argument` if it is passed twice, empty, unreadable or longer than 1 MB.
 */
export const readPrompt = async (
  context: Pick<CliContext, "io" | "cwd">,
  argument: string | undefined,
  promptFile: string | undefined,
): Promise<string | undefined> => {
  if (argument !== undefined && promptFile !== undefined)
    throw wrongUsage("the text is passed twice: pass it as an argument or with --prompt-file")
  if (promptFile !== undefined)
    return checked(await readPromptFile(path.resolve(context.cwd, promptFile), promptFile), "--prompt-file")
  if (argument === "-") return checked(await readAll(context.io.stdin), "stdin")
  return argument === undefined ? undefined : checked(argument, "the prompt")
}

const tooLong = (origin: string): AdjutantError => wrongUsage(`the text from ${origin} is longer than 1 MB: shorten it`)

const checked = (text: string, origin: string): string => {
  if (text.trim() === "") throw wrongUsage(`the text from ${origin} is empty: pass an instruction`)
  if (Buffer.byteLength(text) > maxPromptBytes) throw tooLong(origin)
  return text
}

const readPromptFile = async (file: string, shown: string): Promise<string> => {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    throw wrongUsage(`--prompt-file ${shown} cannot be read${code}`, { cause: error })
  }
}

const readAll = async (stream: AsyncIterable<Uint8Array | string>): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const buffer = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    bytes += buffer.byteLength
    if (bytes > maxPromptBytes) throw tooLong("stdin")
    chunks.push(buffer)
  }
  return Buffer.concat(chunks).toString("utf8")
}
