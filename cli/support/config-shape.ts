import { z } from "zod"
import { configSchema } from "../../contracts/config/config.ts"
import { isRecord } from "../../domain/text/is-record.ts"

const wordsIn = (schema: unknown): readonly string[] => {
  if (Array.isArray(schema)) return schema.flatMap(wordsIn)
  if (!isRecord(schema)) return []
  const own = [schema["const"], ...(Array.isArray(schema["enum"]) ? schema["enum"] : [])]
  return [...own.filter((word) => typeof word === "string"), ...Object.values(schema).flatMap(wordsIn)]
}

/** A name of an environment variable, and the id of a model. */
const isName = (key: string, text: string): boolean =>
  (key.endsWith("Env") && /^[A-Z][A-Z0-9_]*$/.test(text)) || (key === "model" && /^[\w.:/@-]{1,100}$/.test(text))

/**
 * Returns a configuration without its free texts: its keys, numbers and switches, the words that a setting can only choose from, the
 * names of environment variables and the ids of models.
 */
export const configShape = (config: unknown): unknown => {
  const words = new Set(wordsIn(z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" })))
  const shape = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return words.has(value) || isName(key, value) ? value : "<text>"
    if (Array.isArray(value)) return value.map((each) => shape(each, key))
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each, name)]))
  }
  return shape(config, "")
}
