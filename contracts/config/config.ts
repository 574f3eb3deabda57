import { z } from "zod"
import { agentProfileSchema, subagentsSchema } from "./agent-profile.ts"
import { compactionSettingsSchema } from "./config-compaction.ts"
import { modelsSchema, modelTiersSchema } from "./config-models.ts"
import { envNameSchema, mcpServerNameSchema, plainNameSchema, profileNameSchema, toolPatternSchema } from "../names.ts"
import {
  channelSchema,
  deliverySchema,
  hookEventSchema,
  hookSchema,
  httpSchema,
  inboundSchema,
  mcpServerSchema,
  storeSchema,
  webhookSchema,
} from "./config-services.ts"
import { encryptionSchema } from "./encryption.ts"
import { retentionSchema } from "./retention.ts"
import { policyModeSchema } from "../approval/run-policy.ts"
import { priceSchema } from "../run/model-provider.ts"
import {
  allowedDomainSchema,
  dockerImageSchema,
  sandboxBackendSchema,
  sandboxConfigSchema,
  sandboxLimitsSchema,
} from "./sandbox-settings.ts"
import { approvalRuleSchema, personSchema } from "./people.ts"
import { notifyOnSchema, notifySchema } from "./notify.ts"
import { scheduleSchema } from "./schedules.ts"
import { configuredTimingSchema } from "./timing.ts"

const toolsSchema = z.strictObject({
  policy: z
    .record(toolPatternSchema, policyModeSchema)
    .default({})
    .describe(
      "Approval policy by tool name, or by prefix as in `mcp__*`: `auto` runs the call, `prompt` pauses for a decision, `never` does what `tools.never` says. A name takes precedence over a prefix, and a longer prefix over a shorter one.",
    ),
  never: z
    .enum(["pause", "reject"])
    .default("pause")
    .describe("What happens to a call of a `never` tool where the policy applies."),
  maxOffered: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(60)
    .describe(
      "Most tools in the list of a model. Further tools of MCP servers are reached by `find_tools` and `call_tool`. Tools that a profile or a request names one by one are in the list in any case, up to what the provider accepts.",
    ),
  subagents: z
    .strictObject({
      deny: z
        .array(toolPatternSchema)
        .default([])
        .describe("Tools that sub-agents cannot use; takes precedence over `allow`."),
      allow: z
        .array(toolPatternSchema)
        .default([])
        .describe("The only tools that sub-agents can use. Empty: all tools that are not denied."),
    })
    .prefault({})
    .describe("Tools of sub-agents."),
})

const securitySchema = z.strictObject({
  allowBinaryAgents: z.boolean().default(false).describe("Whether `binary` profiles can run."),
  sandbox: sandboxConfigSchema.describe("What confines commands, and what they reach; or the mode alone."),
  sandboxBackends: z
    .array(sandboxBackendSchema)
    .min(1)
    .refine((names) => new Set(names).size === names.length, { error: "names a backend twice" })
    .default(["bubblewrap", "sandbox-runtime"])
    .describe("Sandboxes to try, in this order; the first that works is used."),
  allowedDomains: z
    .array(allowedDomainSchema)
    .default([])
    .describe("Hosts that confined commands can reach; use `security.sandbox.network` instead."),
  dockerImage: dockerImageSchema
    .optional()
    .describe("Image in which the backend `docker` runs commands; required for that backend."),
  limits: sandboxLimitsSchema
    .prefault({})
    .describe(
      "Limits on each confined command. A command that exceeds one is stopped with everything that it started.",
    ),
  envAllow: z
    .array(envNameSchema)
    .default(["PATH", "HOME", "LANG", "TZ", "TMPDIR"])
    .describe("Environment variables that tools and programs get. A variable that contains a secret is refused."),
})

const callerLimitsSchema = z.strictObject({
  usdPerDay: z.number().positive().max(1_000_000).optional().describe("US dollars in one day (UTC)."),
  tokensPerDay: z.number().int().positive().optional().describe("Tokens in one day (UTC)."),
})

const limitsSchema = z.strictObject({
  usdPerDay: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe(
      "US dollars that all runs of the store together can cost in one day (UTC). A model without a price is refused. Without it: no limit.",
    ),
  tokensPerDay: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Tokens that all runs of the store together can use in one day (UTC). Without it: no limit."),
  callers: z
    .record(z.string().min(1).max(300), callerLimitsSchema)
    .optional()
    .describe(
      "Limits of single callers, by the name that `adjutant usage --by caller` shows: `http:<token>`, or `local` for the user of the machine. All trees that the caller started count.",
    ),
})

const workerSchema = z.strictObject({
  modelCalls: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe("Most model calls at a time in one worker process."),
  tools: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe("Most tool calls at a time in one worker process. 0: eight per processor core."),
})
export type WorkerSettings = z.infer<typeof workerSchema>

const serviceSchema = z.strictObject({
  idleMinutes: z
    .number()
    .min(0)
    .max(10_080)
    .default(15)
    .describe(
      "How long a service that a command started keeps running while nothing runs, nothing is due and nobody is connected. 0: the last command ends it.",
    ),
})

const profilesSchema = z.strictObject({
  source: z
    .enum(["config", "store"])
    .default("config")
    .describe(
      "`config`: the profiles are the built-in ones and those in `agents`. `store`: tokens with the scope `admin` can also create, edit and delete profiles, which are kept in the store. Those cannot run programs, name secrets, or replace a profile of `agents` or a built-in one.",
    ),
})

/** `adjutant.config.yaml`. Every key has a default, and an unknown key is an error. */
export const configSchema = z.strictObject({
  models: modelsSchema
    .default({})
    .describe("Models by name. `main` is the default model of agents, `light` a cheaper one for simple work."),
  prices: z
    .record(z.string().min(1), priceSchema)
    .default({})
    .describe(
      "Prices by model id or by the name of a configured model. They take precedence over the built-in list prices. A model without a price accepts no budget in dollars.",
    ),
  agents: z
    .record(profileNameSchema, agentProfileSchema)
    .default({})
    .describe(
      "Profiles by name. `general`, `explore`, `plan` and `summary` are built in; a profile of the same name replaces single keys of the built-in one.",
    ),
  profiles: profilesSchema.prefault({}).describe("Where profiles come from."),
  subagents: subagentsSchema.prefault({}).describe("Settings for sub-agents of every profile."),
  modelTiers: modelTiersSchema
    .default([])
    .describe(
      "Tiers of models, the strongest tier first. A sub-agent never gets a stronger tier than its parent if both models are listed.",
    ),
  compaction: compactionSettingsSchema
    .prefault({})
    .describe("How a run shortens its conversation before it exceeds the model's context."),
  tools: toolsSchema.prefault({}).describe("Which calls need approval, and which tools sub-agents can use."),
  mcpServers: z
    .record(mcpServerNameSchema, mcpServerSchema)
    .default({})
    .describe("MCP servers by name. Their tools are called `mcp__<server>__<tool>`."),
  hooks: z
    .partialRecord(hookEventSchema, z.array(hookSchema))
    .default({})
    .describe(
      "What runs before and after a run and each call, by hook point. A before hook can refuse the run or the call.",
    ),
  security: securitySchema.prefault({}).describe("What tools and programs can reach."),
  http: httpSchema.prefault({}).describe("The HTTP server of `adjutant serve` and `adjutant dev`."),
  webhooks: z
    .array(webhookSchema)
    .default([])
    .describe("Receivers of pauses and outcomes, signed by Standard Webhooks."),
  delivery: deliverySchema.prefault({}).describe("Limits on new work while deliveries are pending."),
  inbound: z
    .record(plainNameSchema, inboundSchema)
    .default({})
    .describe("Webhooks that can decide, by name. Their path is `/v1/hooks/<name>`."),
  notify: z
    .record(plainNameSchema, notifySchema)
    .default({})
    .describe("Where people get messages, by name. `notifyOn` says about what."),
  notifyOn: notifyOnSchema.prefault({}).describe("About what the destinations of `notify` get messages."),
  schedules: z
    .record(plainNameSchema, scheduleSchema)
    .default({})
    .describe("Tasks that start by themselves, by name, while a worker with this configuration runs."),
  people: z
    .record(plainNameSchema, personSchema)
    .default({})
    .describe("People by name: how they are recognized, and about which calls they can decide."),
  approvals: z
    .array(approvalRuleSchema)
    .default([])
    .describe(
      "Whose approval the calls of some tools need, whatever policy, a grant or the run's own approval says. The first rule that names a tool applies.",
    ),
  channels: z
    .record(plainNameSchema, channelSchema)
    .default({})
    .describe("Chat channels by name. Their path is `/v1/channels/<name>`."),
  limits: limitsSchema
    .prefault({})
    .describe(
      "Limits of the whole store, which every worker with this configuration enforces. At a limit, no model call starts; runs end with `budget` and can be continued the next day.",
    ),
  encryption: encryptionSchema
    .optional()
    .describe(
      "Encrypts every payload in Temporal with AES-256-GCM. Without it, titles and previews are in clear there.",
    ),
  retention: retentionSchema.prefault({}).describe("How long the store keeps what has ended."),
  worker: workerSchema
    .prefault({})
    .describe(
      "How much one worker process does at a time. Further calls wait, which their sessions show in `blocked_by`.",
    ),
  service: serviceSchema.prefault({}).describe("The process that does the work of a data directory."),
  store: storeSchema.prefault({}).describe("Where sessions are stored."),
  timing: configuredTimingSchema
    .prefault({})
    .describe("Time limits, intervals and retries. The defaults suit production."),
})
export type Config = z.infer<typeof configSchema>
export type ConfigInput = z.input<typeof configSchema>
