import { z } from "zod"
import { envNameSchema, httpUrlSchema, plainNameSchema, profileNameSchema } from "./config-names.ts"

const program = {
  /** Started without a shell; a path with a slash is relative to the configuration file. */
  command: z.string().min(1).max(4_096),
  args: z.array(z.string().max(65_536)).max(1_000).default([]),
  /** Where it runs; default the folder of the configuration file. */
  cwd: z.string().min(1).max(4_096).optional(),
}
const timeoutMs = (fallback: number) => z.number().int().min(1).max(86_400_000).default(fallback)

/** An MCP server: a program that speaks on stdin and stdout, or an address. Header values come from the environment. */
export const mcpServerSchema = z.union([
  z.strictObject({
    ...program,
    env: z.record(envNameSchema, z.string()).default({}),
    /** Variables of the server that are taken from this process's environment: {its name: our name}. */
    envFrom: z.record(envNameSchema, envNameSchema).default({}),
    timeoutMs: timeoutMs(120_000),
  }),
  z.strictObject({
    url: httpUrlSchema,
    headers: z.record(z.string().min(1), z.string()).default({}),
    headersEnv: z.record(z.string().min(1), envNameSchema).default({}),
    timeoutMs: timeoutMs(120_000),
  }),
])
export type McpServerConfig = z.infer<typeof mcpServerSchema>

export const hookEventSchema = z.enum([
  "agent:llm-before-execute",
  "agent:llm-after-execute",
  "agent:binary-before-execute",
  "agent:binary-after-execute",
  "agent:mcp-bridge-before-execute",
  "agent:mcp-bridge-after-execute",
])
export type HookEvent = z.infer<typeof hookEventSchema>

/** What runs at a hook point: a program that gets the event on stdin, or an address that it is posted to. */
export const hookSchema = z.union([
  z.strictObject({ ...program, timeoutMs: timeoutMs(10_000) }),
  z.strictObject({ url: httpUrlSchema, secretEnv: envNameSchema.optional(), timeoutMs: timeoutMs(10_000) }),
])
export type HookConfig = z.infer<typeof hookSchema>

export const scopeSchema = z.enum(["read", "run", "approve", "admin"])
export type Scope = z.infer<typeof scopeSchema>

export const httpSchema = z.strictObject({
  host: z.string().min(1).max(255).default("127.0.0.1"),
  /** 0: any free one. */
  port: z.number().int().min(0).max(65_535).default(7420),
  /** Where people reach the server, as approval links name it; its host is answered to. */
  publicUrl: httpUrlSchema.optional(),
  /** Further host names that the server answers to, besides its own, loopback and that of `publicUrl`. */
  allowedHosts: z.array(z.string().regex(/^[A-Za-z0-9.-]{1,253}$/, "must be a host name without a port")).default([]),
  /** Directories in which sessions of callers over HTTP work; relative ones start at the project root, which is the default. */
  workspaces: z.array(z.string().min(1).max(4_096)).max(100).optional(),
  tokens: z
    .array(z.strictObject({ name: plainNameSchema, tokenEnv: envNameSchema, scopes: z.array(scopeSchema).min(1) }))
    .default([]),
})

/** Events that are announced to the outside. */
export const announcedEventSchema = z.enum(["run-paused", "run-finished"])
export type AnnouncedEvent = z.infer<typeof announcedEventSchema>

export const webhookSchema = z.strictObject({
  url: httpUrlSchema,
  secretEnv: envNameSchema,
  events: z.array(announcedEventSchema).min(1).default(["run-paused", "run-finished"]),
})
export type WebhookConfig = z.infer<typeof webhookSchema>

/** Undelivered announces pile up where a receiver is away: what is then done about new work. */
export const deliverySchema = z.strictObject({
  /** More than so many: a warning with every start. */
  warnAbove: z.number().int().nonnegative().max(1_000_000).default(100),
  /** More than so many: nothing new is started. */
  refuseAbove: z.number().int().nonnegative().max(1_000_000).default(1_000),
})

const approvers = z.array(z.string().min(1).max(200)).default([])
export const inboundSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("github"), secretEnv: envNameSchema, approvers }),
  z.strictObject({ type: z.literal("slack"), secretEnv: envNameSchema, approvers }),
  /** The holder of the secret is the approver. */
  z.strictObject({ type: z.literal("standard"), secretEnv: envNameSchema }),
])

const hours = z.number().nonnegative().max(87_600)
export const channelSchema = z.strictObject({
  type: z.literal("webhook"),
  outboundUrl: httpUrlSchema,
  secretEnv: envNameSchema,
  /** Profile of the sessions that messages in unknown threads start; default `general`. */
  agent: profileNameSchema.optional(),
  threadBindings: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Without a message for so long a thread is unbound; 0: never. */
      idleHours: hours.default(24),
      /** 0: none. */
      maxAgeHours: hours.default(0),
      /** Whether a message in an unknown thread starts a session, and `sessions_spawn` with `thread: true` one with a thread of its own. */
      spawnSubagentSessions: z.boolean().default(true),
    })
    .prefault({}),
})

export const storeSchema = z.strictObject({
  /** `sqlite:` is the file in the data directory, `sqlite:<path>` another one, `postgres://…` a server. */
  url: z
    .string()
    .regex(/^(sqlite:.*|postgres(ql)?:\/\/.+)$/, "must begin with sqlite: or postgres://")
    .default("sqlite:"),
})
