import { z } from "zod"
import { modelNameSchema, plainNameSchema, toolNameSchema } from "../names.ts"
import { choiceOptionsShape } from "./choice-schemas.ts"
import { limitOptionsShape } from "./limit-schemas.ts"
import { outputSchemaSchema } from "./output-schema.ts"

const contextSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  content: z.string().max(1_000_000),
})

/** The options of a run, by the names that HTTP, the library and schedules use. Each can only be narrower in a later run of the same session. */
export const runOptionsShape = {
  model: modelNameSchema.optional(),
  /** `true`: commands run only in a sandbox. `off`: where none works, Bash runs without one; requires the scope `approve`. */
  sandbox: z.union([z.boolean(), z.literal("off")]).optional(),
  allowed_tools: z.array(toolNameSchema).min(1).max(500).optional(),
  /** `true`: every allowed tool runs without approval; a list: these tools do. */
  auto_approve: z.union([z.boolean(), z.array(toolNameSchema).max(500)]).optional(),
  /** The run completes only with a result that validates against this JSON Schema. */
  output_schema: outputSchemaSchema.optional(),
  system_prompt: z.string().min(1).max(262_144).optional(),
  /** What the agent should know besides its task: before the task for a model, apart from it for a program. */
  context: z.array(contextSchema).max(50).optional(),
  /** Destinations of `notify` for every message about the run, instead of those of `notifyOn` and the profile. */
  notify: z.array(plainNameSchema).max(20).optional(),
  ...choiceOptionsShape,
  ...limitOptionsShape,
} as const

/** Lists that the options only read. */
type Listed<T> = T extends readonly (infer Item)[] ? readonly Item[] : T
type Parsed = z.infer<z.ZodObject<typeof runOptionsShape>>

/** The options of a run. Those that are absent come from the profile and the configuration. */
export type RunOptions = { readonly [Name in keyof Parsed]: Listed<Parsed[Name]> }

export const runOptionNames: readonly string[] = Object.keys(runOptionsShape)

export const isRunOption = (name: string): boolean => Object.hasOwn(runOptionsShape, name)

/** Returns the options of a run among the fields of a request. */
export const pickRunOptions = (fields: RunOptions): RunOptions =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => isRunOption(name) && value !== undefined))
