import { z } from "zod"
import { envNameSchema, httpUrlSchema, modelNameSchema } from "./config-names.ts"
import { thinkingSchema } from "../model-provider.ts"

const common = {
  apiKeyEnv: envNameSchema.optional(),
  thinking: thinkingSchema.optional(),
  /** Most tokens of one answer. */
  maxOutputTokens: z.number().int().min(1).max(1_000_000).default(16_384),
}
const model = z.string().min(1).max(200)

/** One named model. The key comes from `apiKeyEnv`, or from the provider's usual variable. */
export const modelConfigSchema = z.discriminatedUnion("provider", [
  z.strictObject({ provider: z.literal("anthropic"), model, baseUrl: httpUrlSchema.optional(), ...common }),
  z.strictObject({ provider: z.literal("openai"), model, baseUrl: httpUrlSchema.optional(), ...common }),
  z.strictObject({ provider: z.literal("openai-compatible"), model, baseUrl: httpUrlSchema, ...common }),
  z.strictObject({
    provider: z.literal("scripted"),
    model: model.default("scripted"),
    /** Path of the written conversation, relative to the configuration file. */
    script: z.string().min(1),
    thinking: common.thinking,
    maxOutputTokens: common.maxOutputTokens,
  }),
])
export type ModelConfig = z.infer<typeof modelConfigSchema>

export const modelsSchema = z.record(modelNameSchema, modelConfigSchema)

/** Tiers of models, the strongest first; a model stands in one tier only. Entries are model ids or configured names. */
export const modelTiersSchema = z.array(z.array(modelNameSchema).min(1)).superRefine((tiers, context) => {
  const seen = new Set<string>()
  for (const [tier, names] of tiers.entries())
    for (const [index, name] of names.entries()) {
      if (seen.has(name))
        context.addIssue({ code: "custom", path: [tier, index], message: `${name} stands in the list twice` })
      seen.add(name)
    }
})
