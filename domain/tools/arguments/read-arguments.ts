import { isRecord } from "../../text/is-record.ts"
import { parseJson } from "../../text/json/parse-json.ts"
import { isBuiltin, otherNames, withOwnNames } from "./argument-habits.ts"
import type { WrittenArguments } from "./search-habits.ts"

type ArgumentSchema = Readonly<Record<string, unknown>>

/** Arguments as they were read. */
export interface ReadArguments {
  readonly arguments: Record<string, unknown>
  /** The keys that the tool does not have, which were left out. */
  readonly ignored: readonly string[]
}

/** A tool, with the schema of its arguments. */
export interface ReadingTool {
  readonly name: string
  readonly inputSchema: ArgumentSchema
}

/**
 * Reads what a model wrote as arguments, by the tool's schema: numbers, booleans and lists as texts, JSON text for a list or an object, null and "" for an
 * optional argument, and for built-in tools the names that other harnesses use. Of built-in tools, unknown keys are left out and named; of delegation tools
 * and others they remain, since they may have been a limit. What cannot be read stays as it is, for the tool to refuse. Reading twice changes nothing.
 */
export const readArguments = ({ name, inputSchema }: ReadingTool, args: WrittenArguments): ReadArguments => {
  const ignored: string[] = []
  const place = { root: inputSchema, path: "", ...(isBuiltin(name) ? { ignored, otherNames: otherNames(name) } : {}) }
  // Lists can be JSON text, in which other names are found only once it is read.
  const typed = readObject(inputSchema, withOwnNames(name, args), { root: inputSchema, path: "" })
  return { arguments: { ...readObject(inputSchema, withOwnNames(name, typed), place) }, ignored: [...new Set(ignored)] }
}

interface Place {
  readonly root: ArgumentSchema
  readonly path: string
  /** Collects unknown keys, where they are left out. */
  readonly ignored?: string[]
  readonly otherNames?: ReadonlySet<string>
}

const readObject = (schema: ArgumentSchema, value: WrittenArguments, place: Place): WrittenArguments => {
  const properties = fields(schema["properties"])
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const read: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    const at = { ...place, path: place.path === "" ? key : `${place.path}.${key}` }
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (own === undefined) {
      // A name next to the tool's own one, with another value, is refused and not left out.
      if (place.ignored === undefined || schema["additionalProperties"] !== false || place.otherNames?.has(key))
        read.push([key, item])
      else place.ignored.push(at.path)
    } else if (required.includes(key) || !isAbsent(own, item, place.root)) read.push([key, readValue(own, item, at)])
  }
  return Object.fromEntries(read)
}

const isAbsent = (schema: unknown, value: unknown, root: ArgumentSchema): boolean =>
  (value === null || value === "") && !choicesOf(schema, root).some((choice) => accepts(choice, value))

const maxChoices = 20

/** Returns the schemas of which one is enough. */
const choicesOf = (schema: unknown, root: ArgumentSchema): readonly ArgumentSchema[] => {
  const found: ArgumentSchema[] = []
  const open = [schema]
  for (let next = open.shift(); next !== undefined && found.length < maxChoices; next = open.shift()) {
    const each = fields(next)
    const inner = ["anyOf", "oneOf"].flatMap((key) => (Array.isArray(each[key]) ? each[key] : []))
    const { $ref: ref } = each
    const target = typeof ref === "string" && ref.startsWith("#/") ? [atPointer(root, ref)] : []
    if (inner.length + target.length === 0) found.push(each)
    else if (open.length < maxChoices) open.push(...[...inner, ...target].filter((item) => item !== undefined))
  }
  return found
}

const atPointer = (root: ArgumentSchema, ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, step) => fields(value)[step], root)

const typesOf = ({ type }: ArgumentSchema): readonly unknown[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type]

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

/** Whether a value has the form that a schema asks for, as far as a mistake can be read otherwise. */
const accepts = (schema: ArgumentSchema, value: unknown): boolean => {
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value)
  if ("const" in schema) return schema["const"] === value
  const types = typesOf(schema)
  if (types.length === 0) return value !== null || !("properties" in schema)
  if (value === "" && typeof schema["minLength"] === "number" && schema["minLength"] > 0) return false
  return types.includes(typeOf(value)) || (typeof value === "number" && types.includes("integer"))
}

const readValue = (schema: unknown, value: unknown, place: Place): unknown => {
  const choices = choicesOf(schema, place.root)
  const fitting = choices.find((choice) => accepts(choice, value))
  if (fitting !== undefined) return readInside(fitting, value, place)
  for (const choice of choices) {
    const converted = convert(choice, value)
    if (converted !== undefined) return readInside(choice, converted, place)
  }
  return value
}

const readInside = (schema: ArgumentSchema, value: unknown, place: Place): unknown => {
  if (isRecord(value)) return readObject(schema, value, place)
  if (!Array.isArray(value)) return value
  return value.map((item, index) =>
    readValue(schema["items"] ?? {}, item, { ...place, path: `${place.path}[${index}]` }),
  )
}

/** Returns a value in the form that a schema asks for; undefined if it has no such form. */
const convert = (schema: ArgumentSchema, value: unknown): unknown =>
  [...typesOf(schema), ...(Array.isArray(schema["enum"]) ? schema["enum"].map(typeOf) : [])]
    .map((type) => as(type, value))
    .find((converted) => converted !== undefined && accepts(schema, converted))

const as = (type: unknown, value: unknown): unknown => {
  switch (type) {
    case "number":
    case "integer":
      return typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
    case "boolean":
      return value === "true" || value === "True" ? true : value === "false" || value === "False" ? false : undefined
    case "array":
      return typeof value === "string" ? (parsedAs(value, "[") ?? (value === "" ? undefined : [value])) : undefined
    case "object":
      return typeof value === "string" ? parsedAs(value, "{") : undefined
    default:
      return undefined
  }
}

const parsedAs = (text: string, start: "[" | "{"): unknown => {
  if (!text.trimStart().startsWith(start)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const fields = (value: unknown): ArgumentSchema => (isRecord(value) ? value : {})
