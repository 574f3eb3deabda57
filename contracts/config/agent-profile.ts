import { z } from "zod"
import { envNameSchema, modelNameSchema, profileNameSchema, toolNameSchema } from "../names.ts"
import { providerSchema, thinkingSchema } from "../run/model-provider.ts"
import { notifyOnSchema } from "./notify.ts"
import { choiceProfileShape } from "../run/choice-schemas.ts"
import { limitProfileShape } from "../run/limit-schemas.ts"

/** The family of delegation tools that an agent gets. */
export const delegationSchema = z.enum(["task", "tasks", "sessions", "none"])
export type Delegation = z.infer<typeof delegationSchema>

const subagentKeys = {
  maxSpawnDepth: z
    .number()
    .int()
    .min(1)
    .max(5)
    .describe("How deep sub-agents can be nested: 1 allows sub-agents, 2 allows sub-agents of sub-agents."),
  maxChildrenPerAgent: z.number().int().min(1).max(20).describe("Active children that one session can have."),
  runTimeoutSeconds: z
    .number()
    .int()
    .nonnegative()
    .max(31_536_000)
    .describe(
      "Time limit of a sub-agent's run, in seconds of work; waiting does not count. 0: the limit of its profile applies.",
    ),
  archiveAfterMinutes: z
    .number()
    .int()
    .nonnegative()
    .max(5_256_000)
    .describe(
      "Time from the outcome of a sub-agent's last run until lists hide it. It takes effect at a pass of the reconciler, every 15 minutes while a worker runs. 0: never.",
    ),
  allowAgents: z
    .array(z.union([z.literal("*"), profileNameSchema]))
    .describe('Profiles that sub-agents can run as. Empty: only the requester\'s own profile; `["*"]`: every profile.'),
  requireAgentId: z.boolean().describe("Whether a call that starts a sub-agent must name a profile."),
  downgrade: z.boolean().describe("Whether the `tasks` tools give sub-agents the lighter model of the same provider."),
  reports: z
    .enum(["each", "all"])
    .describe(
      "In a thread of a channel: whether the agent continues with the result of each sub-agent as it comes, or with all of them together. Elsewhere, it continues when all have ended.",
    ),
  model: modelNameSchema.describe("Model of sub-agents, if neither the call nor their profile names one."),
  thinking: thinkingSchema.describe("Thinking level of sub-agents, if neither the call nor their profile sets one."),
}

/** The settings for sub-agents of every profile. */
export const subagentsSchema = z.strictObject({
  maxSpawnDepth: subagentKeys.maxSpawnDepth.default(1),
  maxChildrenPerAgent: subagentKeys.maxChildrenPerAgent.default(5),
  maxConcurrent: z
    .number()
    .int()
    .nonnegative()
    .max(10_000)
    .default(8)
    .describe("Sub-agents of the whole store that run at the same time; more are queued. 0: no limit."),
  runTimeoutSeconds: subagentKeys.runTimeoutSeconds.default(0),
  archiveAfterMinutes: subagentKeys.archiveAfterMinutes.default(60),
  archiveRoots: z
    .boolean()
    .default(false)
    .describe("Whether sessions that a person or a program started are hidden from lists after the same time."),
  allowAgents: subagentKeys.allowAgents.default([]),
  requireAgentId: subagentKeys.requireAgentId.default(false),
  downgrade: subagentKeys.downgrade.default(true),
  reports: subagentKeys.reports.default("each"),
  model: subagentKeys.model.optional(),
  thinking: subagentKeys.thinking.optional(),
})
export type SubagentsConfig = z.infer<typeof subagentsSchema>

/** The settings of a profile for its own sub-agents. `maxConcurrent` is one limit for the whole store and cannot be set here. */
export const profileSubagentsSchema = z.strictObject(subagentKeys).partial()

const description = z
  .string()
  .max(2_000)
  .optional()
  .describe("What the profile is for; agents that can delegate to it are shown this text.")
const notify = notifyOnSchema
  .partial()
  .optional()
  .describe("Destinations for messages about runs of this profile, instead of those of `notifyOn`.")
const timeoutMs = z.number().int().min(1).max(86_400_000)
const idempotent = z
  .boolean()
  .default(false)
  .describe("Whether the work can be repeated without further effect. If true, it is retried after a crash.")

const sandbox = z
  .literal("require")
  .optional()
  .describe(
    "`require`: processes of the profile run in a sandbox, and where none works its runs are refused. It changes no approval. Without it: as `security.sandbox` and the run say.",
  )

export const llmProfileSchema = z
  .strictObject({
    type: z.literal("llm").optional().default("llm").describe("Selects a profile that runs a model; can be left out."),
    description,
    notify,
    prompt: z
      .string()
      .min(1)
      .max(262_144)
      .optional()
      .describe(
        "Role prompt. Without one, the profile uses that of the built-in profile of the same name, or of `general`.",
      ),
    model: modelNameSchema
      .optional()
      .describe("Name of a configured model, or id of a known one. Without one: `main`."),
    ...choiceProfileShape,
    tools: z
      .array(toolNameSchema)
      .optional()
      .describe(
        "Tools that the agent can use; `mcp__<server>__*` means all tools of one server. Without it: all tools.",
      ),
    ...limitProfileShape,
    delegation: delegationSchema
      .optional()
      .describe(
        "Which delegation tools the agent gets. Without it: `sessions` for `general`, `none` for other profiles.",
      ),
    sandbox,
    worktree: z
      .boolean()
      .optional()
      .describe(
        "Whether the agent works in a git worktree of its own, the only place to which it can write. Only a sub-agent can: its parent gets the changes as a diff, and can merge them.",
      ),
    subagents: profileSubagentsSchema
      .optional()
      .describe("Settings for the sub-agents of this profile, which replace those of the top-level `subagents`."),
    credentials: z
      .partialRecord(
        providerSchema,
        z.strictObject({
          apiKeyEnv: envNameSchema.describe("Environment variable that contains the key of this provider."),
        }),
      )
      .optional()
      .describe("API keys of this profile. If one is not set, the main key is used, unless `isolated` is true."),
    isolated: z.boolean().default(false).describe("Whether the profile uses its own `credentials` only."),
  })
  .describe("Runs a model in a loop with tools.")
export type LlmProfile = z.infer<typeof llmProfileSchema>

export const programOutputSchema = z.enum(["auto", "text", "json", "claude", "gemini", "codex"])

const binaryProfileSchema = z
  .strictObject({
    type: z.literal("binary").describe("Selects a profile that runs a program."),
    description,
    notify,
    command: z
      .string()
      .min(1)
      .max(4_096)
      .describe("Program to run, without a shell. A path with a slash is relative to the configuration file."),
    args: z
      .array(z.string().max(65_536))
      .max(1_000)
      .default([])
      .describe("Arguments of the program, in which `{{task}}` and `{{context}}` are replaced."),
    stdin: z
      .string()
      .max(262_144)
      .optional()
      .describe(
        "Standard input of the program, in which `{{task}}` and `{{context}}` are replaced; may be empty. Without it: one JSON object with `delegationId`, `task`, `context` and `tokenBudget`.",
      ),
    env: z
      .record(envNameSchema, z.string().max(65_536))
      .default({})
      .describe("Environment variables of the program, besides those in `security.envAllow`. Not for secrets."),
    envFrom: z
      .record(envNameSchema, envNameSchema)
      .default({})
      .describe("Environment variables of the program that are taken from yours: `{<its name>: <your name>}`."),
    output: programOutputSchema
      .default("auto")
      .describe(
        "Form of its standard output: `text`; `json` with a field `result`; that of the programs `claude`, `gemini` and `codex`. `auto` recognises these.",
      ),
    sandbox,
    timeoutMs: timeoutMs.default(600_000).describe("Time limit of one execution."),
    idempotent,
  })
  .describe("Runs a program instead of a model; requires `security.allowBinaryAgents`.")
export type BinaryProfile = z.infer<typeof binaryProfileSchema>

export const bridgeProfileSchema = z
  .strictObject({
    type: z.literal("mcp-bridge").describe("Selects a profile that calls an MCP tool."),
    description,
    notify,
    mcpTool: z
      .string()
      .regex(/^mcp__(?:(?!__).)+__.+$/, "must be a tool of an MCP server: mcp__<server>__<tool>")
      .describe("Tool to call, in the form `mcp__<server>__<tool>`."),
    mcpToolInput: z
      .string()
      .max(262_144)
      .optional()
      .describe(
        "Mustache template of the JSON arguments, with `{{task}}` and `{{context}}`. Without it: both, as they are.",
      ),
    timeoutMs: timeoutMs.default(120_000).describe("Time limit of one call."),
    idempotent,
  })
  .describe("Calls one tool of an MCP server instead of a model.")
export type BridgeProfile = z.infer<typeof bridgeProfileSchema>

export const agentProfileSchema = z.discriminatedUnion("type", [
  llmProfileSchema,
  binaryProfileSchema,
  bridgeProfileSchema,
])
export type AgentProfile = z.infer<typeof agentProfileSchema>
