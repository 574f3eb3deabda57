import { z } from "zod"
import { isRecord } from "../domain/text/is-record.ts"

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  let inner = schema
  for (;;) {
    if (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional)
      inner = inner.def.innerType
    else if (inner instanceof z.ZodPipe && inner.def.out instanceof z.ZodTransform) inner = inner.def.in
    else return inner
  }
}

const child = (schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] => {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => child(option, key))
  if (inner instanceof z.ZodArray) return [inner.element]
  if (inner instanceof z.ZodRecord) return [inner.valueType]
  if (!(inner instanceof z.ZodObject)) return []
  const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape
  const next = Object.hasOwn(shape, String(key)) ? shape[String(key)] : undefined
  return next === undefined ? [] : [next]
}

/** Returns the options of a union that a value chooses by its discriminator: all, if it names none of them. */
const optionsFor = (union: z.ZodUnion, value: unknown): readonly z.core.$ZodType[] => {
  if (!(union instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return union.options
  const { discriminator } = union.def
  const chosen = union.options.filter((option) => {
    const values = option._zod.propValues?.[discriminator]
    return values !== undefined && [...values].some((each) => each === value[discriminator])
  })
  return chosen.length === 0 ? union.options : chosen
}

const keysOf = (schema: z.core.$ZodType, value: unknown): readonly string[] => {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodUnion) return optionsFor(inner, value).flatMap((option) => keysOf(option, value))
  if (inner instanceof z.ZodRecord && inner.keyType instanceof z.ZodEnum) return inner.keyType.options.map(String)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

/** Returns the keys that a schema knows at a path where a mapping is, for a hint about an unknown one. */
export const schemaKeys = (
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  value?: unknown,
): readonly string[] => {
  let reached: readonly z.core.$ZodType[] = [schema]
  for (const key of path) reached = reached.flatMap((each) => child(each, key))
  return [...new Set(reached.flatMap((each) => keysOf(each, value)))]
}
