import { isMap, isNode, LineCounter, type Document } from "yaml"
import type { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { parseYaml, yamlValue } from "../../domain/text/foreign/parse-yaml.ts"
import { scriptSchemaFor, type ScriptedConversation } from "./script-schema.ts"

export interface Script {
  readonly file: string
  readonly conversations: readonly ScriptedConversation[]
}

/** Parses the file of a scripted model. Throws `invalid_config` with file, line and key of the first mistake. */
export const parseScript = (source: string, file: string): Script => {
  const lines = new LineCounter()
  const document = parseYaml(source, { lines })
  const broken = document.errors[0]
  if (broken) throw mistake(file, lines.linePos(broken.pos[0]).line, broken.message)
  const value = plainValue(document, file)
  const parsed = scriptSchemaFor(value).safeParse(value)
  if (parsed.success) return { file, conversations: parsed.data.conversations }
  const issue = parsed.error.issues[0]
  if (!issue) throw mistake(file, 1, "not a script")
  const { path, message } = locate(issue)
  const key = path.length === 0 ? "" : `${path.join(".")}: `
  throw mistake(file, lineOfKey(document, path, lines), `${key}${message}`)
}

const plainValue = (document: Document, file: string): unknown => {
  try {
    return yamlValue(document)
  } catch (error) {
    throw mistake(file, 1, errorMessage(error))
  }
}

const mistake = (file: string, line: number, text: string) =>
  new AdjutantError("invalid_config", `${file}:${line}: ${text}; correct the script`)

type Path = readonly (string | number)[]

/** Returns the path and text of a mistake. zod reports an unknown key at its parent. */
const locate = (issue: z.core.$ZodIssue): { path: Path; message: string } => {
  const path = issue.path.map((step) => (typeof step === "symbol" ? step.toString() : step))
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined
  if (unknownKey !== undefined) return { path: [...path, unknownKey], message: "unknown key" }
  return { path, message: issue.message }
}

/** Returns the line of a key, or of its nearest parent in the file. */
const lineOfKey = (document: Document, path: Path, lines: LineCounter): number => {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = document.getIn(path.slice(0, depth - 1), true)
    const key = path[depth - 1]
    const pair = isMap(parent)
      ? parent.items.find((item) => isNode(item.key) && item.key.toString() === String(key))?.key
      : document.getIn(path.slice(0, depth), true)
    if (isNode(pair) && pair.range) return lines.linePos(pair.range[0]).line
  }
  return 1
}
