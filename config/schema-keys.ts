import { z } from "zod"

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

const keysOf = (schema: z.core.$ZodType): readonly string[] => {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodUnion) return inner.options.flatMap(keysOf)
  if (inner instanceof z.ZodRecord && inner.keyType instanceof z.ZodEnum) return inner.keyType.options.map(String)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}

/** Returns the keys that a schema knows at a path, for a hint about an unknown one. */
export const schemaKeys = (schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] => {
  let reached: readonly z.core.$ZodType[] = [schema]
  for (const key of path) reached = reached.flatMap((each) => child(each, key))
  return [...new Set(reached.flatMap(keysOf))]
}
