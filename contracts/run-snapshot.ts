import { inputKindSchema, priceSchema, providerSchema, thinkingSchema } from "./run/model-provider.ts"
import { cassetteModeSchema } from "./config/cassette.ts"
import { cacheMinutesSchema, dialectSchema } from "./config/config-models.ts"
import { z } from "zod"
import { policySchema, runApprovalSchema, sandboxModeSchema } from "./approval/run-policy.ts"
import { type AgentProfile, delegationSchema, programOutputSchema } from "./config/agent-profile.ts"
import { compactionSettingsSchema } from "./config/config-compaction.ts"
import { hookEventSchema, hookSchema, mcpServerSchema, webhookSchema } from "./config/config-services.ts"
import { runNotifySchema } from "./config/notify.ts"
import { runTimingSchema } from "./config/timing.ts"
import { choiceSettingsShape } from "./run/choice-schemas.ts"
import { limitsSchema } from "./run/limit-schemas.ts"

/** One model of a run. Contains the name of the key's environment variable, never the key. */
export const modelSpecSchema = z.object({
  provider: providerSchema,
  model: z.string(),
  apiKeyEnv: z.string().optional(),
  /** A program that prints the key; its paths are absolute. */
  apiKeyCommand: z
    .object({ command: z.string(), args: z.array(z.string()), cwd: z.string().optional(), expiresSeconds: z.number() })
    .optional(),
  baseUrl: z.string().optional(),
  /** `azure-openai` only. */
  azure: z.object({ deployment: z.string(), apiVersion: z.string(), auth: z.enum(["key", "token"]) }).optional(),
  /** `scripted` only: absolute path of the written conversation. */
  script: z.string().optional(),
  /** `cassette` only: absolute path of the recording. */
  cassette: z.object({ file: z.string(), mode: cassetteModeSchema }).optional(),
  thinking: thinkingSchema.optional(),
  maxOutputTokens: z.number().int().positive(),
  /** Tokens of prompt and answer together; absent if that is not known. */
  contextTokens: z.number().int().positive().optional(),
  /** What the configuration says that the model takes; without it, domain/media/model-input.ts decides. */
  input: z.array(inputKindSchema).optional(),
  /** Words with which its server ends a normal answer, besides the documented ones. */
  normalEnds: z.array(z.string()).optional(),
  /** Headers of each request, and the variables that contain those with secrets. */
  headers: z.record(z.string(), z.string()).optional(),
  headersEnv: z.record(z.string(), z.string()).optional(),
  /** Fields that are added to the body of each request. */
  extraBody: z.record(z.string(), z.unknown()).optional(),
  temperature: z.number().optional(),
  dialect: dialectSchema.optional(),
  /** How long the provider keeps a prompt in its cache, if the configuration says it. With 60, the price has the rate of such writes. */
  cacheMinutes: cacheMinutesSchema.optional(),
  /** List price of a million tokens that are written to the cache for an hour. */
  hourCacheWritePerMTok: z.number().optional(),
  price: priceSchema.nullable(),
  /** Names of the models that take over while this one is unavailable; see domain/models/fallback-models.ts. */
  fallback: z.array(z.string()).optional(),
})
export type ModelSpec = z.infer<typeof modelSpecSchema>

/** Models by their configured names. */
export type ModelsByName = Readonly<Record<string, ModelSpec>>

/** Settings of a run's sub-agents: those of its profile take precedence over those for all. */
const runSubagentsSchema = z.object({
  maxSpawnDepth: z.number().int().min(1).max(5),
  maxChildrenPerAgent: z.number().int().min(1).max(20),
  maxConcurrent: z.number().int().nonnegative(),
  runTimeoutSeconds: z.number().int().nonnegative(),
  archiveAfterMinutes: z.number().int().nonnegative(),
  archiveRoots: z.boolean(),
  allowAgents: z.array(z.string()),
  requireAgentId: z.boolean(),
  downgrade: z.boolean(),
  reports: z.enum(["each", "all"]),
  model: z.string().optional(),
  thinking: thinkingSchema.optional(),
  /** Tool patterns that sub-agents cannot use, and, if not empty, the only ones that they can. */
  denyTools: z.array(z.string()),
  allowTools: z.array(z.string()),
})
export type RunSubagents = z.infer<typeof runSubagentsSchema>

/** What a profile without a model runs: a program, or one call of an MCP tool. */
export const executionSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("llm") }),
  z.object({
    type: z.literal("binary"),
    /** Absolute path, or a name that is looked up on PATH. */
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()),
    /** Names of the program's variables with the names of the worker's. */
    envFrom: z.record(z.string(), z.string()).optional(),
    /** Template of the standard input; without it, the program gets one JSON object. */
    stdin: z.string().optional(),
    output: programOutputSchema.optional(),
    timeoutMs: z.number().int().positive(),
    idempotent: z.boolean(),
  }),
  z.object({
    type: z.literal("mcp-bridge"),
    mcpTool: z.string(),
    mcpToolInput: z.string().optional(),
    timeoutMs: z.number().int().positive(),
    idempotent: z.boolean(),
  }),
  /** The instruction is a command, which runs as a call of Bash. The type of such a run is `binary`. */
  z.object({ type: z.literal("command"), timeoutMs: z.number().int().positive() }),
])
export type Execution = z.infer<typeof executionSchema>

/**
 * The settings of a run, resolved once when it starts and stored by content hash. Names of environment variables, never secrets.
 */
export const runSnapshotSchema = z.object({
  agent: z.string(),
  type: z.enum(["llm", "binary", "mcp-bridge"]),
  /** The settings that only this type has. */
  execution: executionSchema,
  systemPrompt: z.string(),
  /** The model's prompts end with the facts about the place where it works; absent for `Task`. See domain/prompts/surroundings.ts. */
  showsSurroundings: z.literal(true).optional(),
  /** Name of the run's own model in `models`. For a `binary` or `mcp-bridge` profile: `none`, which is not in `models`. */
  model: z.string(),
  /** Every model that the run or its children can change to. */
  models: z.record(z.string(), modelSpecSchema),
  /** Tiers of models, the strongest first; see domain/models/model-choice.ts. */
  modelTiers: z.array(z.array(z.string())),
  /**
   * Names of the ordinary tools that the run can use, in the order in which the model sees them. `mcp__<server>__*` means all tools of
   * that server; domain/tools/tool-names.ts says whether a list covers a name.
   */
  tools: z.array(z.string()),
  /** Most tools in the list of the model; absent: 60. Those that `tools` names one by one are in it in any case. */
  maxOfferedTools: z.number().int().positive().optional(),
  /** The skills that the working directory contained when the run was planned; see domain/notes/skill.ts. */
  skills: z.array(z.object({ name: z.string(), description: z.string(), path: z.string() })).optional(),
  /** Patterns that are removed from `tools`: what sub-agents cannot use. */
  deniedTools: z.array(z.string()),
  /** Delegation tools that the request named. They replace what `delegation` offers. Null if none was named. */
  delegationTools: z.array(z.string()).nullable(),
  /** Patterns with their modes; the most specific one wins, see domain/approval/tool-policy.ts. */
  policy: policySchema,
  /** Policies of ancestors or of earlier runs that differ from `policy`. The strictest mode of all policies applies. */
  inheritedPolicies: z.array(policySchema),
  never: z.enum(["pause", "reject"]),
  /**
   * `policy`: prompt and never tools pause; `all`: every allowed tool runs and a never tool is rejected; a list: these tools run, the others follow
   * policy.
   */
  approval: runApprovalSchema,
  ...choiceSettingsShape,
  /** The run completes only with a result that validates against this schema; then the model gets `finish`. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  limits: limitsSchema,
  /** The options that the session's start or a later message has set. The others follow the configuration in its next runs. */
  explicit: z.array(z.string()).optional(),
  /** Limits that an approver raised after they had ended the session's previous run: they may be wider than those of that run. */
  raisedLimits: z.array(limitsSchema.keyof()).optional(),
  sandbox: sandboxModeSchema,
  /** `--sandbox`: the session is sandboxed; tools that cannot run in a sandbox are refused. */
  sandboxed: z.boolean(),
  /** `--unconfined`: where no sandbox works, Bash runs unasked all the same. Set only by a caller who may approve. */
  unconfined: z.literal(true).optional(),
  /**
   * `enable_sandbox` of `dynamic_subagent_task`: its processes see the working directory read-only, can write only to a scratch folder of the task, and
   * have no network. Their effects do not leave the task, so they need no approval unless policy says `never`.
   */
  taskSandbox: z.literal(true).optional(),
  /** What a program or an MCP tool should know besides its task. A model reads it in its first message instead. */
  context: z.string().optional(),
  cwd: z.string(),
  /** The git worktree in which tools work instead of `cwd`. Absent if there is none. */
  worktree: z
    .object({
      path: z.string(),
      /** The directory whose files it begins with, and into which its changes can be merged. */
      source: z.string(),
      /** False: it belongs to the run that started this one. */
      isOwn: z.boolean(),
    })
    .optional(),
  envAllow: z.array(z.string()),
  delegation: delegationSchema,
  subagents: runSubagentsSchema,
  /** The configured profiles, from which children are resolved. They were validated when the configuration was read. */
  agents: z.record(
    z.string(),
    z.custom<AgentProfile>((value) => typeof value === "object" && value !== null),
  ),
  /** Servers that the run can connect to. Secrets are given by the names of their variables. */
  mcpServers: z.record(z.string(), mcpServerSchema),
  hooks: z.partialRecord(hookEventSchema, z.array(hookSchema)),
  /** Destinations of announcements. Secrets are given by the names of their variables. */
  webhooks: z.array(webhookSchema),
  /** Where people get messages about the run, and about what. Absent: nowhere. */
  notify: runNotifySchema.optional(),
  /** Public address of the HTTP server, without a trailing slash. Approval links start with it. */
  publicUrl: z.string(),
  /** True if `publicUrl` is not configured. The address of the server that listens then takes precedence over it. */
  publicUrlIsDefault: z.boolean().optional(),
  timing: runTimingSchema,
  /** How a conversation is made shorter that does not fit into the model's context. */
  compaction: compactionSettingsSchema,
})
export type RunSnapshot = z.infer<typeof runSnapshotSchema>
