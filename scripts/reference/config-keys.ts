import { z } from "zod"
import { alternatives, code } from "./markdown.ts"

type Schema = z.core.$ZodType

/** One key of the configuration. */
export interface ConfigKey {
  /** `agents.<name>.maxSteps` */
  readonly path: string
  readonly type: string
  /** A text as it is, anything else as JSON; undefined where there is no default. */
  readonly defaultValue: string | undefined
  readonly isRequired: boolean
  readonly description: string | undefined
}

/** One of several shapes that a value can have, with the keys of that shape. */
export interface ConfigVariant {
  readonly path: string
  /** `type: llm`, or the key by which the shape is recognised. */
  readonly label: string
  readonly description: string | undefined
  readonly keys: readonly ConfigKey[]
}

export interface ConfigKeys {
  readonly keys: readonly ConfigKey[]
  readonly variants: readonly ConfigVariant[]
}

interface Unwrapped {
  readonly inner: Schema
  readonly description: string | undefined
  readonly defaultValue: unknown
  readonly isOptional: boolean
}

const unwrap = (schema: Schema): Unwrapped => {
  const description = z.globalRegistry.get(schema)?.description
  if (schema instanceof z.ZodOptional) {
    const below = unwrap(schema.def.innerType)
    return { ...below, description: description ?? below.description, isOptional: true }
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const below = unwrap(schema.def.innerType)
    const defaultValue = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
    return { ...below, description: description ?? below.description, defaultValue, isOptional: true }
  }
  // A short form is turned into the whole one, which is described, or what is written is completed.
  if (schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodTransform) {
    const below = unwrap(schema.def.out)
    return { ...below, description: description ?? below.description }
  }
  if (schema instanceof z.ZodPipe && schema.def.out instanceof z.ZodTransform) {
    const below = unwrap(schema.def.in)
    return { ...below, description: description ?? below.description }
  }
  return { inner: schema, description, defaultValue: undefined, isOptional: false }
}

const units: readonly (readonly [suffix: string, unit: string])[] = [
  ["Ms", "milliseconds"],
  ["Seconds", "seconds"],
  ["Minutes", "minutes"],
  ["Hours", "hours"],
  ["Usd", "US dollars"],
  ["PerMTok", "US dollars per million tokens"],
  ["Tokens", "tokens"],
]

const unitOf = (path: string): string => {
  const unit = units.find(([suffix]) => path.endsWith(suffix))?.[1]
  return unit === undefined ? "" : ` ${unit}`
}

const isAbove = (schema: z.ZodNumber): boolean =>
  schema.def.checks?.some(
    ({ _zod: { def } }) => def.check === "greater_than" && "inclusive" in def && !def.inclusive,
  ) ?? false

const numberType = (schema: z.ZodNumber, path: string): string => {
  const kind = schema.isInt ? "integer" : "number"
  const least = schema.minValue ?? 0
  const most = schema.maxValue ?? Number.MAX_SAFE_INTEGER
  const unit = unitOf(path)
  if (isAbove(schema)) return `${kind} above ${least}${unit}`
  return most < Number.MAX_SAFE_INTEGER ? `${kind} from ${least} to ${most}${unit}` : `${kind} from ${least}${unit}`
}

/** Returns what a value can be, in words. */
const typeText = (schema: Schema, path: string): string => {
  const { inner } = unwrap(schema)
  if (inner instanceof z.ZodURL) return "URL"
  if (inner instanceof z.ZodNumber) return numberType(inner, path)
  if (inner instanceof z.ZodBoolean) return alternatives(["`true`", "`false`"])
  if (inner instanceof z.ZodEnum) return alternatives(inner.options.map((value) => code(String(value))))
  if (inner instanceof z.ZodLiteral) return alternatives([...inner.values].map((value) => code(String(value))))
  if (inner instanceof z.ZodArray)
    return `list of ${typeText(inner.element, path).replace(/^(text|URL|object|list)/, "$1s")}`
  if (inner instanceof z.ZodRecord) return "map"
  if (inner instanceof z.ZodObject) return "object"
  if (inner instanceof z.ZodUnion)
    return inner.options.some((option) => unwrap(option).inner instanceof z.ZodObject) ? "object" : "text"
  return "text"
}

const isObject = (schema: Schema): boolean => {
  const { inner } = unwrap(schema)
  return inner instanceof z.ZodObject || (inner instanceof z.ZodUnion && inner.options.some(isObject))
}

const labelOf = (shape: Readonly<Record<string, Schema>>): string => {
  for (const [name, schema] of Object.entries(shape)) {
    const { inner } = unwrap(schema)
    if (inner instanceof z.ZodLiteral) return `${name}: ${String([...inner.values][0])}`
  }
  return Object.keys(shape)[0] ?? ""
}

/** What the keys of a map are, where they are not names. */
const mapKeys: Readonly<Record<string, string>> = { hooks: "hook point", credentials: "provider" }

const none: ConfigKeys = { keys: [], variants: [] }

const joined = (parts: readonly ConfigKeys[]): ConfigKeys => ({
  keys: parts.flatMap(({ keys }) => keys),
  variants: parts.flatMap(({ variants }) => variants),
})

/** Returns the key at a path. */
export const configKeyAt = (schema: Schema, path: string): ConfigKey => {
  const { description, defaultValue, isOptional } = unwrap(schema)
  return {
    path,
    type: typeText(schema, path),
    defaultValue: typeof defaultValue === "string" ? defaultValue : JSON.stringify(defaultValue)?.replaceAll(",", ", "),
    isRequired: !isOptional,
    description,
  }
}

/** Returns every key below a schema at a path; the shapes of a union are kept apart. */
export const configKeysBelow = (schema: Schema, path: string): ConfigKeys => {
  const { inner } = unwrap(schema)
  if (inner instanceof z.ZodObject) {
    const shape: Readonly<Record<string, Schema>> = inner.shape
    return joined(
      Object.entries(shape).map(([name, value]) => {
        const at = `${path}.${name}`
        return joined([{ keys: [configKeyAt(value, at)], variants: [] }, configKeysBelow(value, at)])
      }),
    )
  }
  if (inner instanceof z.ZodArray) return configKeysBelow(inner.element, `${path}[]`)
  if (inner instanceof z.ZodRecord) {
    return configKeysBelow(inner.valueType, `${path}.<${mapKeys[path.split(".").at(-1) ?? ""] ?? "name"}>`)
  }
  if (!(inner instanceof z.ZodUnion) || !isObject(inner)) return none
  const options: readonly Schema[] = inner.options
  const variants = options.map((option): ConfigVariant => {
    const { inner: object, description } = unwrap(option)
    const shape = object instanceof z.ZodObject ? object.shape : {}
    return { path, label: labelOf(shape), description, keys: configKeysBelow(object, path).keys }
  })
  return { keys: [], variants }
}
