import { isRecord } from "../../domain/text/is-record.ts"
import type { ModelRequest } from "../model-provider.ts"
import { itemsOf } from "../lenient.ts"
import type { ToolSchema, WireSchema } from "./wire-schema.ts"

/** Deeper schemas are refused. */
const maxDepth = 10

/** Rules that a strict schema cannot have. The tool checks them itself. */
const dropped = new Set([
  ...["$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"],
])
/** What a strict schema can have, besides the parts of objects, lists and alternatives. */
const kept = new Set(["type", "description", "title", "enum", "const", "$ref"])

/** A part that accepts more than a strict schema can say. */
class Inexpressible extends Error {}

/**
 * Returns a tool's schema for a server that makes the model follow it to the letter: every property of every object is required, one that was optional can be
 * null, and there are no others. Null for an optional argument is read as absent. Returns undefined if the tool takes what no such schema can say, such as
 * an object with any keys.
 */
export const toStrictSchema = ({ properties, ...rest }: WireSchema["schema"]): ToolSchema | undefined => {
  try {
    return strict({ properties, ...rest }, 0)
  } catch (error) {
    if (error instanceof Inexpressible) return undefined
    throw error
  }
}

/** Returns the form that the final text of a model is to have, for a server that takes strict schemas; undefined if it cannot be said in one. */
export const strictResult = ({ spec, resultSchema }: ModelRequest) => {
  if (spec.dialect?.strict !== true || resultSchema === undefined) return undefined
  const { properties, ...rest } = resultSchema
  if (!isRecord(properties) || !isOfType(resultSchema, "object")) return undefined
  const schema = toStrictSchema({ type: "object", properties, ...rest })
  return schema === undefined ? undefined : { name: "result", schema, strict: true }
}

const strict = (value: unknown, depth: number): ToolSchema => {
  if (!isRecord(value) || depth > maxDepth) throw new Inexpressible()
  const below = (part: unknown): ToolSchema => strict(part, depth + 1)
  const parts = Object.entries(value).flatMap(([key, part]): readonly (readonly [string, unknown])[] => {
    if (dropped.has(key)) return []
    if (kept.has(key)) return [[key, part]]
    if (key === "items") return [[key, below(part)]]
    if (key === "anyOf" || key === "oneOf") return [["anyOf", itemsOf(part).map(below)]]
    if (key === "$defs" || key === "definitions") return [[key, mapped(part, below)]]
    if (key === "properties" || key === "required" || key === "additionalProperties") return []
    throw new Inexpressible()
  })
  const schema = Object.fromEntries(parts)
  if (isOfType(value, "object")) return { ...schema, ...strictObject(value, below) }
  if (!["type", "enum", "const", "$ref", "anyOf"].some((key) => key in schema)) throw new Inexpressible()
  return schema
}

const strictObject = (value: ToolSchema, below: (part: unknown) => ToolSchema): ToolSchema => {
  const { properties, additionalProperties = false, required } = value
  if (!isRecord(properties) || additionalProperties !== false) throw new Inexpressible()
  const isRequired = (name: string): boolean => itemsOf(required).includes(name)
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, isRequired(name) ? below(part) : nullable(below(part))]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

const nullable = (schema: ToolSchema): ToolSchema => {
  const { type, enum: values, description } = schema
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return schema
  if (typeof type === "string" && !("const" in schema))
    return {
      ...schema,
      type: [type, "null"],
      ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    }
  return {
    anyOf: [schema, { type: "null" }],
    ...(typeof description === "string" ? { description } : {}),
  }
}

const mapped = (value: unknown, change: (part: unknown) => ToolSchema): ToolSchema =>
  Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, part]) => [name, change(part)]))

const isOfType = ({ type, properties }: ToolSchema, wanted: string): boolean =>
  type === wanted || (Array.isArray(type) && type.includes(wanted)) || (type === undefined && properties !== undefined)
