import { z } from "zod"

export const maxOutputSchemaBytes = 32 * 1024
const maxDepth = 64

/** Keywords whose value is the address of another schema. */
const references: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

/** Returns why a schema is not accepted; undefined if it is. The walk ends at the depth limit. */
const problemIn = (value: unknown, depth = 0): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if (depth > maxDepth) return `must not be nested more than ${maxDepth} levels deep`
  for (const [name, child] of Object.entries(value)) {
    if (references.has(name) && typeof child === "string" && !child.startsWith("#"))
      return `${name} must begin with #: schemas elsewhere are not read`
    const problem = problemIn(child, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A JSON Schema that the result of a run must validate against. References to other documents are refused. */
export const outputSchemaSchema = z.record(z.string().max(200), z.unknown()).superRefine((schema, refinement) => {
  const problem =
    problemIn(schema) ??
    (JSON.stringify(schema).length > maxOutputSchemaBytes ? "must be at most 32 KB of JSON" : undefined)
  if (problem !== undefined) refinement.addIssue({ code: "custom", message: problem })
})
export type OutputSchema = z.infer<typeof outputSchemaSchema>
