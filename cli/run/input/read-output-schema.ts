import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { maxOutputSchemaBytes, type OutputSchema, outputSchemaSchema } from "../../../contracts/run/output-schema.ts"
import type { CliContext } from "../../program/cli-context.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

/** Reads the JSON Schema of `--output-schema`; undefined without the flag. Throws `invalid_argument` if the file cannot be used. */
export const readOutputSchema = async (
  { cwd }: Pick<CliContext, "cwd">,
  flag: string | undefined,
): Promise<OutputSchema | undefined> => {
  if (flag === undefined) return undefined
  const { success, data, error } = outputSchemaSchema.safeParse(
    parseSchemaFile(await readText(path.resolve(cwd, flag), flag), flag),
  )
  if (success) return data
  throw wrongUsage(`--output-schema ${flag}: ${error.issues[0]?.message ?? "not a JSON Schema"}`)
}

const readText = async (file: string, flag: string): Promise<string> => {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() !== true) throw wrongUsage(`--output-schema ${flag} is not a file`)
  // Spaces between the values do not count.
  if (found.size > 4 * maxOutputSchemaBytes) throw wrongUsage(`--output-schema ${flag} is larger than 128 KB`)
  return await readFile(file, "utf8")
}

const parseSchemaFile = (text: string, flag: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrongUsage(`--output-schema ${flag} is not JSON`, { cause })
  }
}
