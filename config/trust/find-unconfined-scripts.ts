import { open } from "node:fs/promises"
import { constants } from "node:fs"
import { resolve } from "node:path"
import type { Config } from "../../contracts/config/config.ts"
import { startsProcesses } from "../../domain/approval/disposition.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { parseYaml, yamlValue } from "../../domain/text/foreign/parse-yaml.ts"

/** Read before anybody trusts the project, so that its size bounds how long every command takes. */
const maxScriptBytes = 4 * 1024 * 1024

/** Returns the names of all tools that a script calls, wherever in it a list of calls is. */
const calledTools = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(calledTools)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === "tool_calls" && Array.isArray(inner)
      ? inner.flatMap((call: unknown) => (isRecord(call) && typeof call["name"] === "string" ? [call["name"]] : []))
      : []),
    ...calledTools(inner),
  ])
}

/** Returns whether a script calls a tool that starts processes. One that cannot be read as a whole counts; one that does not exist does not. */
const scriptStartsProcesses = async (path: string): Promise<boolean> => {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile() || found.size > maxScriptBytes) return true
    const document = parseYaml(await file.readFile("utf8"))
    // The scripted model refuses such a script with the place of the mistake.
    return document.errors.length === 0 && calledTools(yamlValue(document)).some(startsProcesses)
  } catch (error) {
    return systemCode(error) !== "ENOENT"
  }
}

interface ScriptPlace {
  readonly config: Config
  readonly projectRoot: string
  readonly confinesCommands?: () => Promise<boolean>
}

/**
 * Returns the scripts of scripted models that call Bash where nothing confines it: such a model runs the commands that the project's author wrote.
 */
export const findUnconfinedScripts = async ({
  config,
  projectRoot,
  confinesCommands,
}: ScriptPlace): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  if (config.security.sandbox === "require") return found
  for (const model of Object.values(config.models))
    if (model.provider === "scripted" && (await scriptStartsProcesses(resolve(projectRoot, model.script))))
      found.add(model.script)
  const isConfined = found.size > 0 && config.security.sandbox === "auto" && (await confinesCommands?.()) === true
  return isConfined ? new Set() : found
}
