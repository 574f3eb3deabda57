import { z } from "zod"
import { agentProfileSchema, subagentsSchema } from "./agent-profile.ts"
import { modelsSchema, modelTiersSchema } from "./config-models.ts"
import {
  envNameSchema,
  mcpServerNameSchema,
  plainNameSchema,
  profileNameSchema,
  toolPatternSchema,
} from "./config-names.ts"
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
import { policyModeSchema, priceSchema, sandboxModeSchema } from "../run-snapshot.ts"
import { allowedDomainSchema, dockerImageSchema, sandboxBackendSchema } from "./sandbox-settings.ts"
import { timingSchema } from "./timing.ts"

const toolsSchema = z.strictObject({
  /** Modes by tool name or prefix; the most specific pattern wins. */
  policy: z.record(toolPatternSchema, policyModeSchema).default({}),
  /** What a `never` tool does where policy applies. */
  never: z.enum(["pause", "reject"]).default("pause"),
  /** Which tools sub-agents may have: `deny` wins, and a non-empty `allow` is allow-only. */
  subagents: z
    .strictObject({
      deny: z.array(toolPatternSchema).default([]),
      allow: z.array(toolPatternSchema).default([]),
    })
    .prefault({}),
})

const securitySchema = z.strictObject({
  allowBinaryAgents: z.boolean().default(false),
  /** `auto`: confined where a sandbox works; `require`: Bash is refused where none does; `off`: never confined. */
  sandbox: sandboxModeSchema.default("auto"),
  /** Tried in this order; the first that works confines. */
  sandboxBackends: z
    .array(sandboxBackendSchema)
    .min(1)
    .refine((names) => new Set(names).size === names.length, { error: "names a backend twice" })
    .default(["bubblewrap", "sandbox-runtime"]),
  /** Hosts that confined commands reach; empty: none. Only a backend that can filter by host is used where any is named. */
  allowedDomains: z.array(allowedDomainSchema).default([]),
  /** The image that commands run in, for the backend `docker`. */
  dockerImage: dockerImageSchema.optional(),
  /** Variables of the worker's environment that tools and programs get; no other reaches them. */
  envAllow: z.array(envNameSchema).default(["PATH", "HOME", "LANG", "TZ", "TMPDIR"]),
})

/** `adjutant.config.yaml`. Every key has a default, and an unknown key is an error. */
export const configSchema = z.strictObject({
  models: modelsSchema.default({}),
  prices: z.record(z.string().min(1), priceSchema).default({}),
  agents: z.record(profileNameSchema, agentProfileSchema).default({}),
  subagents: subagentsSchema.prefault({}),
  modelTiers: modelTiersSchema.default([]),
  tools: toolsSchema.prefault({}),
  mcpServers: z.record(mcpServerNameSchema, mcpServerSchema).default({}),
  hooks: z.partialRecord(hookEventSchema, z.array(hookSchema)).default({}),
  security: securitySchema.prefault({}),
  http: httpSchema.prefault({}),
  webhooks: z.array(webhookSchema).default([]),
  delivery: deliverySchema.prefault({}),
  inbound: z.record(plainNameSchema, inboundSchema).default({}),
  channels: z.record(plainNameSchema, channelSchema).default({}),
  store: storeSchema.prefault({}),
  timing: timingSchema.prefault({}),
})
export type Config = z.infer<typeof configSchema>
export type ConfigInput = z.input<typeof configSchema>
