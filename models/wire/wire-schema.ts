import { isRecord } from "../../domain/text/is-record.ts"
import { toWireKey } from "./wire-name.ts"
import { itemsOf } from "../lenient.ts"

export type ToolSchema = Readonly<Record<string, unknown>>

/** A schema that every provider accepts. */
export interface WireSchema {
  readonly schema: ToolSchema & { readonly type: "object"; readonly properties: unknown }
  /** The keys that were renamed, by the name that the tool has for them. */
  readonly keys: ReadonlyMap<string, string>
}

/** Deeper parts accept anything: the tool checks its own input. */
const maxDepth = 40

const combinators = ["allOf", "anyOf", "oneOf"] as const
/** Rules that providers refuse at the top of a schema. The tool checks them itself. */
const refusedAtTop = new Set(["allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else", "$ref"])

/** Keywords with one schema, a list of them, or schemas by name. */
const oneSchema = new Set(["additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"])
const schemaLists = new Set<string>([...combinators, "prefixItems"])
const schemasByName = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties"])

/**
 * Makes a tool's schema acceptable: no combinator at the top, keys of letters, digits, `_`, `.` and `-`, `items` in every array, and no reference to
 * another document. The result may accept more than the tool does, because the tool checks its input itself.
 */
export const toWireSchema = (schema: ToolSchema): WireSchema => {
  const keys = new Map<string, string>()
  const { properties = {}, ...top } = flatTop(schema)
  return { schema: { properties, ...fitted({ ...top, properties }, { keys, depth: 0 }), type: "object" }, keys }
}

/** Returns arguments with the keys that `keys` renames, at every depth; the arguments themselves if there is nothing to rename. */
export const renameKeys = <Args>(args: Args, keys: ReadonlyMap<string, string>): Args =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the names of keys are others
  keys.size === 0 ? args : (renamed(args, keys) as Args)

const renamed = (value: unknown, keys: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, keys))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [keys.get(key) ?? key, renamed(item, keys)]))
}

/** Returns the schema without what is refused at its top: the properties of all alternatives, and what all of them require. */
const flatTop = (root: ToolSchema): ToolSchema => {
  const kept = Object.fromEntries(Object.entries(root).filter(([key]) => !refusedAtTop.has(key)))
  const parts = partsOf(root, root, 0)
  const properties = Object.assign({}, ...parts.properties, propertiesOf(root))
  const required = [...new Set(parts.required)]
  const said = [root["description"], ...parts.notes].filter((text) => typeof text === "string" && text !== "")
  return {
    ...kept,
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(said.length === 0 ? {} : { description: said.join("\n") }),
  }
}

interface TopParts {
  readonly properties: readonly ToolSchema[]
  readonly required: readonly string[]
  readonly notes: readonly string[]
}

const partsOf = (schema: ToolSchema, root: ToolSchema, depth: number): TopParts => {
  if (depth > maxDepth) return { properties: [], required: [], notes: [] }
  const inner = (value: unknown): TopParts => partsOf(isRecord(value) ? value : {}, root, depth + 1)
  const all = [...itemsOf(schema["allOf"]), ...refTarget(schema, root)].map(inner)
  const choices = (["oneOf", "anyOf"] as const)
    .map((key) => ({ key, alternatives: itemsOf(schema[key]).map(inner) }))
    .filter(({ alternatives }) => alternatives.length > 0)
  return {
    properties: [
      ...all.flatMap(({ properties }) => properties),
      ...choices.flatMap(({ alternatives }) => alternatives.flatMap(({ properties }) => properties)),
      propertiesOf(schema),
    ],
    required: [
      ...textsOf(schema["required"]),
      ...all.flatMap(({ required }) => required),
      ...choices.flatMap(({ alternatives }) => inAll(alternatives.map(({ required }) => required))),
    ],
    notes: [...all.flatMap(({ notes }) => notes), ...choices.flatMap(alternativesNote)],
  }
}

const alternativesNote = ({
  key,
  alternatives,
}: {
  readonly key: string
  readonly alternatives: readonly TopParts[]
}): string[] => {
  const sets = alternatives.map(({ required }) => required.map(toWireKey).join(" and ")).filter((set) => set !== "")
  return sets.length < 2 ? [] : [`Required: ${key === "oneOf" ? "exactly" : "at least"} one of: ${sets.join("; ")}.`]
}

const inAll = ([first = [], ...rest]: readonly (readonly string[])[]): readonly string[] =>
  first.filter((name) => rest.every((names) => names.includes(name)))

/** Returns what a schema refers to in the same document. */
const refTarget = (schema: ToolSchema, root: ToolSchema): readonly unknown[] => {
  const { $ref: ref } = schema
  if (typeof ref !== "string" || !ref.startsWith("#/")) return []
  let target: unknown = root
  for (const step of ref.slice(2).split("/")) target = isRecord(target) ? target[fromPointer(step)] : undefined
  return target === undefined ? [] : [target]
}

const fromPointer = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~")
const toPointer = (step: string): string => step.replaceAll("~", "~0").replaceAll("/", "~1")

interface Place {
  readonly keys: Map<string, string>
  readonly depth: number
}

/** Returns a schema, at any depth, with acceptable keys, arrays and references. */
const fitted = (schema: unknown, { keys, depth }: Place): ToolSchema => {
  // `true` and `false` are schemas, too, which not every provider knows.
  if (!isRecord(schema) || depth > maxDepth) return {}
  const inner = (value: unknown): ToolSchema => fitted(value, { keys, depth: depth + 1 })
  const fit = (key: string, value: unknown): unknown => {
    if (key === "properties") return fittedProperties(value, { keys, depth: depth + 1 })
    if (key === "required") return textsOf(value).map((name) => wireKey(name, keys))
    if (key === "items") return Array.isArray(value) ? { anyOf: value.map(inner) } : inner(value)
    if (oneSchema.has(key)) return typeof value === "boolean" ? value : inner(value)
    if (schemaLists.has(key)) return itemsOf(value).map(inner)
    if (schemasByName.has(key) && isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
    return key === "$ref" && typeof value === "string" ? wireRef(value, keys) : value
  }
  const { $ref: ref } = schema
  const isForeign = typeof ref === "string" && !ref.startsWith("#")
  const own = Object.entries(schema).filter(([key]) => key !== "$schema" && !(key === "$ref" && isForeign))
  const result = Object.fromEntries(own.map(([key, value]) => [key, fit(key, value)]))
  return isArrayType(schema["type"]) && !("items" in result) ? { ...result, items: {} } : result
}

const fittedProperties = (properties: unknown, { keys, depth }: Place): ToolSchema =>
  Object.fromEntries(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
      const key = wireKey(name, keys)
      const each = fitted(schema, { keys, depth })
      return [key, key === name ? each : named(each, name)]
    }),
  )

/** Adds to the description of a renamed key which name the tool has for it. */
const named = (schema: ToolSchema, name: string): ToolSchema => {
  const { description } = schema
  return { ...schema, description: typeof description === "string" ? `${name}: ${description}` : name }
}

const wireKey = (name: string, keys: Map<string, string>): string => {
  const key = toWireKey(name)
  if (key !== name) keys.set(name, key)
  return key
}

/** Renames the keys in a reference to a property. */
const wireRef = (ref: string, keys: Map<string, string>): string => {
  const steps = ref.split("/")
  return steps
    .map((step, index) => (steps[index - 1] === "properties" ? toPointer(wireKey(fromPointer(step), keys)) : step))
    .join("/")
}

const isArrayType = (type: unknown): boolean => type === "array" || (Array.isArray(type) && type.includes("array"))

const textsOf = (value: unknown): readonly string[] => itemsOf(value).filter((item) => typeof item === "string")
const propertiesOf = ({ properties }: ToolSchema): ToolSchema => (isRecord(properties) ? properties : {})
