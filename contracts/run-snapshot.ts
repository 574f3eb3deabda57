import { z } from "zod"

export const providerSchema = z.enum(["anthropic", "openai", "openai-compatible", "scripted"])
export type ProviderName = z.infer<typeof providerSchema>

export const thinkingSchema = z.enum(["off", "low", "medium", "high"])
export type Thinking = z.infer<typeof thinkingSchema>

/** Prices in US dollars per million tokens; a missing cache price counts as the input price. */
export const priceSchema = z.strictObject({
  inputPerMTok: z.number().nonnegative(),
  outputPerMTok: z.number().nonnegative(),
  cacheReadPerMTok: z.number().nonnegative().optional(),
  cacheWritePerMTok: z.number().nonnegative().optional(),
})
export type Price = z.infer<typeof priceSchema>

/** One model as a run uses it. Holds the name of the key's environment variable, never the key. */
export const modelSpecSchema = z.object({
  provider: providerSchema,
  model: z.string(),
  apiKeyEnv: z.string().optional(),
  baseUrl: z.string().optional(),
  /** `scripted` only: absolute path of the written conversation. */
  script: z.string().optional(),
  thinking: thinkingSchema.optional(),
  maxOutputTokens: z.number().int().positive(),
  price: priceSchema.nullable(),
})
export type ModelSpec = z.infer<typeof modelSpecSchema>

export const policyModeSchema = z.enum(["auto", "prompt", "never"])
export type PolicyMode = z.infer<typeof policyModeSchema>

export const limitsSchema = z.object({
  maxSteps: z.number().int().positive(),
  /** 0: none. Counts running time only. */
  timeoutSeconds: z.number().nonnegative(),
  /** Integer millionths of a US dollar. */
  budgetMicroUsd: z.number().int().nonnegative().nullable(),
  budgetTokens: z.number().int().nonnegative().nullable(),
})
export type Limits = z.infer<typeof limitsSchema>

export const delegationSchema = z.enum(["task", "tasks", "sessions", "none"])
export const sandboxModeSchema = z.enum(["auto", "require", "off"])
export type SandboxMode = z.infer<typeof sandboxModeSchema>

/**
 * Everything that a run lives by, resolved once when it starts and stored by content hash. Names of environment variables, never secrets.
 */
export const runSnapshotSchema = z.object({
  agent: z.string(),
  type: z.enum(["llm", "binary", "mcp-bridge"]),
  systemPrompt: z.string(),
  /** Name under which `models` holds the run's own model. */
  model: z.string(),
  models: z.record(z.string(), modelSpecSchema),
  /** Names of the ordinary tools that the run may use, in the order in which the model sees them. */
  tools: z.array(z.string()),
  /** Patterns with their modes; the most specific one wins, see domain/tool-policy. */
  policy: z.record(z.string(), policyModeSchema),
  never: z.enum(["pause", "reject"]),
  /** `policy`: prompt and never tools pause; `all`: every allowed tool runs and a never tool is rejected; a list: those run, the others follow policy. */
  approval: z.union([z.literal("policy"), z.literal("all"), z.array(z.string())]),
  /** A text-only reply pauses for input, and the model gets `finish`. */
  pauseOnText: z.boolean(),
  limits: limitsSchema,
  sandbox: sandboxModeSchema,
  /** `--sandbox`: the session is sandboxed; tools that cannot run in a sandbox are refused. */
  sandboxed: z.boolean(),
  cwd: z.string(),
  envAllow: z.array(z.string()),
  delegation: delegationSchema,
})
export type RunSnapshot = z.infer<typeof runSnapshotSchema>
