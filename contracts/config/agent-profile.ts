import { z } from "zod"
import { envNameSchema, modelNameSchema, profileNameSchema, toolNameSchema } from "./config-names.ts"
import { delegationSchema } from "../delegation/delegation-family.ts"
import { providerSchema, thinkingSchema } from "../model-provider.ts"

const runTimeoutSeconds = z.number().int().nonnegative().max(31_536_000)
const maxSpawnDepth = z.number().int().min(1).max(5)
const maxChildrenPerAgent = z.number().int().min(1).max(20)
const archiveAfterMinutes = z.number().int().nonnegative().max(5_256_000)
/** `*` allows any profile; an empty list only the requester's own. */
const allowAgents = z.array(z.union([z.literal("*"), profileNameSchema]))

/** What holds for sub-agents of every profile. */
export const subagentsSchema = z.strictObject({
  maxSpawnDepth: maxSpawnDepth.default(1),
  maxChildrenPerAgent: maxChildrenPerAgent.default(5),
  /** Sub-agents that run at once; 0: as many as there are. */
  maxConcurrent: z.number().int().nonnegative().max(10_000).default(8),
  /** 0: none. */
  runTimeoutSeconds: runTimeoutSeconds.default(0),
  /** After the end of the last run; 0: never. */
  archiveAfterMinutes: archiveAfterMinutes.default(60),
  allowAgents: allowAgents.default([]),
  requireAgentId: z.boolean().default(false),
  /** Whether the tasks family gives its children the lighter model. */
  downgrade: z.boolean().default(true),
  model: modelNameSchema.optional(),
  thinking: thinkingSchema.optional(),
})
export type SubagentsConfig = z.infer<typeof subagentsSchema>

/** What a profile sets for its own sub-agents; `maxConcurrent` is one limit for all and cannot be set here. */
export const profileSubagentsSchema = z.strictObject({
  maxSpawnDepth: maxSpawnDepth.optional(),
  maxChildrenPerAgent: maxChildrenPerAgent.optional(),
  runTimeoutSeconds: runTimeoutSeconds.optional(),
  archiveAfterMinutes: archiveAfterMinutes.optional(),
  allowAgents: allowAgents.optional(),
  requireAgentId: z.boolean().optional(),
  downgrade: z.boolean().optional(),
  model: modelNameSchema.optional(),
  thinking: thinkingSchema.optional(),
})

const description = z.string().max(2_000).optional()
const timeoutMs = z.number().int().min(1).max(86_400_000)

const llmProfileSchema = z.strictObject({
  /** May be left out: a profile is an `llm` one unless it says otherwise. */
  type: z.literal("llm").optional().default("llm"),
  description,
  /** Role prompt; a profile without one works by that of the built-in profile of its name, else of `general`. */
  prompt: z.string().min(1).max(262_144).optional(),
  model: modelNameSchema.optional(),
  thinking: thinkingSchema.optional(),
  tools: z.array(toolNameSchema).optional(),
  maxSteps: z.number().int().min(1).max(256).optional(),
  /** Running time of one run; 0: none. */
  timeoutSeconds: runTimeoutSeconds.optional(),
  budgetUsd: z.number().positive().max(1_000_000).optional(),
  budgetTokens: z.number().int().positive().optional(),
  delegation: delegationSchema.optional(),
  subagents: profileSubagentsSchema.optional(),
  /** Keys of this profile's own, by provider. Where one is not set the main key serves, unless `isolated`. */
  credentials: z.partialRecord(providerSchema, z.strictObject({ apiKeyEnv: envNameSchema })).optional(),
  isolated: z.boolean().default(false),
})
export type LlmProfile = z.infer<typeof llmProfileSchema>

const binaryProfileSchema = z.strictObject({
  type: z.literal("binary"),
  description,
  /** A program, without a shell; a path with a slash is relative to the configuration file. */
  command: z.string().min(1).max(4_096),
  args: z.array(z.string().max(65_536)).max(1_000).default([]),
  env: z.record(envNameSchema, z.string().max(65_536)).default({}),
  timeoutMs: timeoutMs.default(600_000),
  /** True: repeating it does no more than running it once, so that it is tried again after a crash. */
  idempotent: z.boolean().default(false),
})
export type BinaryProfile = z.infer<typeof binaryProfileSchema>

const bridgeProfileSchema = z.strictObject({
  type: z.literal("mcp-bridge"),
  description,
  mcpTool: z.string().regex(/^mcp__(?:(?!__).)+__.+$/, "must be a tool of an MCP server: mcp__<server>__<tool>"),
  /** Mustache template of the JSON arguments with {{task}} and {{context}}; left out: {task, context}. */
  mcpToolInput: z.string().max(262_144).optional(),
  timeoutMs: timeoutMs.default(120_000),
  idempotent: z.boolean().default(false),
})
export type BridgeProfile = z.infer<typeof bridgeProfileSchema>

export const agentProfileSchema = z.discriminatedUnion("type", [
  llmProfileSchema,
  binaryProfileSchema,
  bridgeProfileSchema,
])
export type AgentProfile = z.infer<typeof agentProfileSchema>
