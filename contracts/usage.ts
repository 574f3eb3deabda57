import { z } from "zod"
import { timeSchema } from "./text-schemas.ts"

export const tokenCountSchema = z.number().int().nonnegative()

/** Tokens and money of one run or one session; `cost_usd` is null if a model's price is unknown. */
export const usageSchema = z.object({
  input_tokens: tokenCountSchema,
  output_tokens: tokenCountSchema,
  cache_read_tokens: tokenCountSchema,
  cache_write_tokens: tokenCountSchema,
  reasoning_tokens: tokenCountSchema,
  cost_usd: z.number().nonnegative().nullable(),
})
export type Usage = z.infer<typeof usageSchema>

/** What a usage report can be grouped by. */
export const usageGroupSchema = z.enum(["day", "profile", "model", "label", "caller"])
export type UsageGroup = z.infer<typeof usageGroupSchema>

const usageSumSchema = z.object({
  calls: z.number().int().describe("Model calls, with every attempt that a provider counted."),
  unpriced_calls: z.number().int().describe("Those of them whose price is unknown. They are not part of `cost_usd`."),
  ...usageSchema.shape,
  cost_usd: usageSchema.shape.cost_usd.describe(
    "The exact sum of the calls whose price is known; null if there are calls and none of them has a price.",
  ),
})

/** One group of a usage report, with the keys that it is grouped by. */
export const usageItemSchema = z.object({
  day: z.string().optional().describe("The day in UTC, as in 2026-05-31."),
  profile: z.string().optional(),
  model: z.string().optional(),
  label: z
    .string()
    .nullable()
    .optional()
    .describe("The label of the task at the root of the tree; null if it has none, or was deleted."),
  caller: z
    .string()
    .optional()
    .describe("Who started the tree: http:<token>, stdio:<name>:<project>, or local for the user of the machine."),
  ...usageSumSchema.shape,
})
export type UsageItem = z.infer<typeof usageItemSchema>

export const usageReportSchema = z.object({ items: z.array(usageItemSchema), total: usageSumSchema })
export type UsageReport = z.infer<typeof usageReportSchema>

const groupsSchema = z
  .string()
  .transform((text) => (text === "" ? [] : text.split(",")))
  .pipe(z.array(usageGroupSchema).max(usageGroupSchema.options.length))

export const usageQuerySchema = z.strictObject({
  from: timeSchema.optional().describe("Only calls from this time on: ISO 8601, a date or a time with its zone."),
  to: timeSchema.optional().describe("Only calls before this time."),
  group_by: groupsSchema
    .optional()
    .meta({ type: "string" })
    .describe("day, profile, model, label and caller, separated by commas. Without it: only the total."),
})
