import { z } from "zod"
import type { OutputSchema } from "../../../contracts/run/output-schema.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"

export const finishInputSchema = z.strictObject({
  result: z
    .string()
    .describe(
      "The final answer for the person or agent who gave you this task: complete, since they receive nothing else.",
    ),
})

const finishSpec: ToolSpec = {
  name: "finish",
  description:
    "Ends your run and hands over its result. Call it once, when the task is done; a reply without a tool call asks a person for input instead.",
  inputSchema: z.toJSONSchema(finishInputSchema),
}

/** The same for a run whose result must validate; the schema itself is in the system prompt. */
export const finishValueSchema = z.strictObject({
  result: z.unknown().describe("The result: one JSON value that validates against the required JSON Schema."),
})

const anyValueSchema = { ...z.toJSONSchema(finishValueSchema), required: ["result"] }

const definitions = ["$defs", "definitions"] as const
/** Keywords by which a part of a schema depends on where it is. */
const placed: ReadonlySet<string> = new Set(["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"])

/** Whether a schema still means the same as a part of another one that has its definitions. */
const canMove = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every(canMove)
  if (!isRecord(value)) return true
  return Object.entries(value).every(([key, part]) => {
    if (placed.has(key) && typeof part === "string") return false
    if (key === "$ref" && typeof part === "string") return definitions.some((name) => part.startsWith(`#/${name}/`))
    return canMove(part)
  })
}

const finishSchemas = new WeakMap<OutputSchema, ToolSpec["inputSchema"]>()

/** Returns the schema of the arguments of `finish`, with the one of the result where it can be a part: providers make their models follow it. */
const valueSchemaOf = (outputSchema: OutputSchema): ToolSpec["inputSchema"] => {
  if (!canMove(outputSchema)) return anyValueSchema
  const { $schema: _, $defs, definitions: older, ...result } = outputSchema
  return {
    type: "object",
    properties: { result },
    required: ["result"],
    additionalProperties: false,
    ...(isRecord($defs) ? { $defs } : {}),
    ...(isRecord(older) ? { definitions: older } : {}),
  }
}

const finishValueSpec = (outputSchema: OutputSchema): ToolSpec => {
  const inputSchema = finishSchemas.get(outputSchema) ?? valueSchemaOf(outputSchema)
  finishSchemas.set(outputSchema, inputSchema)
  return {
    name: "finish",
    description: "Ends your run and hands over its result. Call it once, when the task is done.",
    inputSchema,
  }
}

/** Returns the tool with which a model ends its run; none where a text is always the result. */
export const finishSpecs = ({
  pauseOnText,
  outputSchema,
}: Pick<RunSnapshot, "pauseOnText" | "outputSchema">): readonly ToolSpec[] => {
  if (outputSchema !== undefined) return [finishValueSpec(outputSchema)]
  return pauseOnText ? [finishSpec] : []
}
