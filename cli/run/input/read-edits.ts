import { readFile } from "node:fs/promises"
import path from "node:path"
import type { CliContext } from "../../program/cli-context.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"
import type { DecisionFlags } from "../decision-flags.ts"

/** Reads the files that `--edit <id>=@<file>` names, and returns the option with their content. */
export const readEdits = async (
  { cwd }: Pick<CliContext, "cwd">,
  { edit }: DecisionFlags,
): Promise<Pick<DecisionFlags, "edit">> => {
  if (edit === undefined) return {}
  const read = edit.map(async (value) => {
    const [, id = "", file] = /^([^=]+)=@(.+)$/s.exec(value) ?? []
    if (file === undefined) return value
    const text = await readFile(path.resolve(cwd, file), "utf8").catch(() => undefined)
    if (text === undefined) throw wrongUsage(`--edit names the file ${file}, which cannot be read`)
    return `${id}=${text}`
  })
  return { edit: await Promise.all(read) }
}
