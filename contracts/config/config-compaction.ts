import { z } from "zod"
import { modelNameSchema } from "../names.ts"

/** How a run makes its conversation shorter when a model call would not fit into the model's context. */
export const compactionSettingsSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Whether a run shortens its conversation when a call would not fit into the model's context. If not, the run fails then.",
    ),
  model: modelNameSchema
    .optional()
    .describe(
      "Name of the configured model that writes summaries. Without it: the provider itself where it can, or else `light`. A model in a higher tier than the run's own, or without a key, is replaced by the run's own.",
    ),
  atTokens: z
    .number()
    .int()
    .min(2_000)
    .optional()
    .describe(
      "Tokens of a prompt above which the conversation is shortened, even if the model accepts more. Without it: when prompt and answer would exceed `contextTokens` of the model.",
    ),
  keepTurns: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe("Model turns at the end of the conversation that are kept as they are, while they fit."),
})
export type CompactionSettings = z.infer<typeof compactionSettingsSchema>
