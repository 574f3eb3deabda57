import { open } from "node:fs/promises"
import { constants } from "node:fs"
import { resolve } from "node:path"
import type { Config } from "../../contracts/config/config.ts"
import type { ModelConfig } from "../../contracts/config/config-models.ts"
import { startsProcesses } from "../../domain/approval/process-sandbox.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import { ordinaryToolOf } from "../../domain/tools/tool-names.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { maxUntrustedBytes, parseYaml, yamlValue } from "../../domain/text/foreign/parse-yaml.ts"

/** Read before anybody trusts the project, so that its size bounds how long every command takes. JSON is parsed much faster than YAML. */
const maxBytes = { scripted: maxUntrustedBytes, cassette: 4 * 1024 * 1024 } as const

/** Returns the names of all tools that a script or a cassette calls, wherever in it a call or a list of calls is. */
const calledTools = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(calledTools)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === "call" && isRecord(inner) && typeof inner["name"] === "string" ? [inner["name"]] : []),
    ...(key === "tool_calls" && Array.isArray(inner)
      ? inner.flatMap((call: unknown) => (isRecord(call) && typeof call["name"] === "string" ? [call["name"]] : []))
      : []),
    ...calledTools(inner),
  ])
}

/** The model that reads a file refuses one that cannot be parsed. */
const parsers = {
  scripted: (text: string): unknown => {
    const document = parseYaml(text)
    return document.errors.length === 0 ? yamlValue(document) : undefined
  },
  cassette: (text: string): unknown => {
    try {
      return parseJson(text)
    } catch {
      return undefined
    }
  },
}

/** Returns whether a call starts processes, itself or in a sub-agent without a model. */
const runsCommands = (tool: string): boolean => startsProcesses(ordinaryToolOf(tool))

interface AnswersFile {
  readonly provider: keyof typeof parsers
  readonly file: string
}

/** Returns whether a file calls a tool that starts processes. One that cannot be read as a whole counts; so does one that is missing, which a run could write. */
const startsAnyProcess = async ({ provider, file: path }: AnswersFile): Promise<boolean> => {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile() || found.size > maxBytes[provider]) return true
    return calledTools(parsers[provider](await file.readFile("utf8"))).some(runsCommands)
  } catch {
    return true
  }
}

/** Returns the file with a model's answers; undefined for a model that thinks for itself. */
const answersFile = (model: ModelConfig): AnswersFile | undefined => {
  switch (model.provider) {
    case "scripted":
      return { provider: model.provider, file: model.script }
    case "cassette":
      return { provider: model.provider, file: model.file }
    case "anthropic":
    case "openai":
    case "openai-compatible":
    case "azure-openai":
      return undefined
  }
}

interface ScriptPlace {
  readonly config: Config
  readonly projectRoot: string
  readonly confinesCommands?: () => Promise<boolean>
}

/**
 * Returns the scripts of scripted models, and the cassettes, that call Bash, or start a command as a task, where nothing confines it: such a model runs
 * the commands that the project's author wrote.
 */
export const findUnconfinedScripts = async ({
  config,
  projectRoot,
  confinesCommands,
}: ScriptPlace): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  if (config.security.sandbox.mode === "require") return found
  for (const model of Object.values(config.models)) {
    const answers = answersFile(model)
    if (answers !== undefined && (await startsAnyProcess({ ...answers, file: resolve(projectRoot, answers.file) })))
      found.add(answers.file)
  }
  const isConfined = found.size > 0 && config.security.sandbox.mode === "auto" && (await confinesCommands?.()) === true
  return isConfined ? new Set() : found
}
