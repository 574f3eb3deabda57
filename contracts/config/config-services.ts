import { z } from "zod"
import { mcpOauthSchema } from "./mcp-oauth.ts"
import { envNameSchema, httpUrlSchema, plainNameSchema, profileNameSchema, toolNameSchema } from "../names.ts"

const program = {
  command: z
    .string()
    .min(1)
    .max(4_096)
    .describe("Program to start, without a shell. A path with a slash is relative to the configuration file."),
  args: z.array(z.string().max(65_536)).max(1_000).default([]).describe("Arguments of the program."),
  cwd: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Working directory of the program. Without it: the directory of the configuration file."),
}
const timeoutMs = (fallback: number) => z.number().int().min(1).max(86_400_000).default(fallback)
const serverTimeoutMs = timeoutMs(120_000).describe(
  "Time limit of one request to the server; it starts again with each progress notification.",
)

const connectTimeoutMs = z
  .number()
  .int()
  .min(1)
  .max(86_400_000)
  .optional()
  .describe(
    "Time limit for the start of the server and for listing its tools. Runs whose profile names tools of the server wait for it that long. Default: 30000.",
  )

const trustReadOnlyHint = z
  .boolean()
  .default(false)
  .describe(
    "Whether a tool that the server marks as read-only runs without approval. Without it, policy decides alone.",
  )

/** An MCP server: a program that speaks on stdin and stdout, or an address. Header values come from the environment. */
export const mcpServerSchema = z.union([
  z
    .strictObject({
      ...program,
      env: z
        .record(envNameSchema, z.string())
        .default({})
        .describe("Environment variables of the program, as plain values."),
      envFrom: z
        .record(envNameSchema, envNameSchema)
        .default({})
        .describe("Environment variables of the program that are taken from yours: `{<its name>: <your name>}`."),
      timeoutMs: serverTimeoutMs,
      connectTimeoutMs,
      trustReadOnlyHint,
    })
    .describe("A program that is started and speaks MCP on standard input and output."),
  z
    .strictObject({
      url: httpUrlSchema.describe("Address of the server."),
      headers: z
        .record(z.string().min(1), z.string())
        .default({})
        .describe("HTTP headers of each request, as plain values."),
      headersEnv: z
        .record(z.string().min(1), envNameSchema)
        .default({})
        .describe("HTTP headers that contain secrets: `{<header>: <environment variable>}`."),
      oauth: mcpOauthSchema.optional(),
      timeoutMs: serverTimeoutMs,
      connectTimeoutMs,
      trustReadOnlyHint,
    })
    .describe("A server that is reached over HTTP."),
])
export type McpServerConfig = z.infer<typeof mcpServerSchema>
export type McpHttpServer = Extract<McpServerConfig, { url: string }>

export const hookEventSchema = z.enum([
  "agent:llm-before-execute",
  "agent:llm-after-execute",
  "agent:binary-before-execute",
  "agent:binary-after-execute",
  "agent:mcp-bridge-before-execute",
  "agent:mcp-bridge-after-execute",
  "before-tool",
  "after-tool",
])
export type HookEvent = z.infer<typeof hookEventSchema>

const hookTimeoutMs = timeoutMs(10_000).describe("Time limit of one execution of the hook.")

const hookTools = z
  .array(toolNameSchema)
  .min(1)
  .optional()
  .describe(
    "Of `before-tool` and `after-tool`: the tools for whose calls the hook runs; `mcp__<server>__*` means all tools of one server. Without it: all tools.",
  )

/** What runs at a hook point: a program that gets the event on stdin, or an address that it is posted to. */
export const hookSchema = z.union([
  z
    .strictObject({ ...program, tools: hookTools, timeoutMs: hookTimeoutMs })
    .describe("A program that reads the event as JSON on standard input."),
  z
    .strictObject({
      url: httpUrlSchema.describe("Address to which the event is posted."),
      secretEnv: envNameSchema
        .optional()
        .describe(
          "Environment variable that contains the secret with which requests are signed. Without it: not signed.",
        ),
      tools: hookTools,
      timeoutMs: hookTimeoutMs,
    })
    .describe("A server to which the event is posted."),
])
export type HookConfig = z.infer<typeof hookSchema>

export const scopeSchema = z.enum(["read", "run", "approve", "admin"])
export type Scope = z.infer<typeof scopeSchema>

export const httpSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(255)
    .default("127.0.0.1")
    .describe("Address on which the server listens. An address beyond loopback requires a token."),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(7420)
    .describe("Port on which the server listens. 0: any free port."),
  publicUrl: httpUrlSchema
    .optional()
    .describe(
      "Address at which people reach the server; approval links start with it. Without it: the server's own address.",
    ),
  allowedHosts: z
    .array(z.string().regex(/^[A-Za-z0-9.-]{1,253}$/, "must be a host name without a port"))
    .default([])
    .describe("More host names that requests can use, besides the server's own, loopback and that of `publicUrl`."),
  workspaces: z
    .array(z.string().min(1).max(4_096))
    .max(100)
    .optional()
    .describe(
      "Directories in which sessions of HTTP and MCP callers can work, relative to the project root. Without it: the project root.",
    ),
  linksNeedToken: z
    .boolean()
    .default(false)
    .describe(
      "Whether an approval link decides only together with the token of an approver. A link that was issued `to` the name of a token needs that token.",
    ),
  tokens: z
    .array(
      z.strictObject({
        name: plainNameSchema
          .refine((name) => !/^(local|api-token)$/i.test(name), {
            message: "local and api-token are the names of built-in callers: choose another name",
          })
          .describe("Name of the token in the audit. Tokens with the same name are one caller."),
        tokenEnv: envNameSchema.describe("Environment variable that contains the token."),
        scopes: z.array(scopeSchema).min(1).describe("What the holder of the token can do."),
      }),
    )
    .default([])
    .describe("Bearer tokens of the API, besides `ADJUTANT_API_TOKEN`."),
})

/** Events that are announced to the outside. */
export const announcedEventSchema = z.enum(["run-paused", "run-finished"])
export type AnnouncedEvent = z.infer<typeof announcedEventSchema>

export const webhookSchema = z.strictObject({
  url: httpUrlSchema.describe("Address to which events are posted."),
  secretEnv: envNameSchema.describe("Environment variable that contains the secret with which requests are signed."),
  events: z
    .array(announcedEventSchema)
    .min(1)
    .default(["run-paused", "run-finished"])
    .describe("Events that the receiver gets."),
})
export type WebhookConfig = z.infer<typeof webhookSchema>

/** Pending deliveries accumulate while a receiver is down: limits on new work. */
export const deliverySchema = z.strictObject({
  warnAbove: z
    .number()
    .int()
    .nonnegative()
    .max(1_000_000)
    .default(100)
    .describe("With more pending deliveries than this, every start of a session logs a warning."),
  refuseAbove: z
    .number()
    .int()
    .nonnegative()
    .max(1_000_000)
    .default(1_000)
    .describe("With more pending deliveries than this, new sessions are refused."),
})

const signingSecret = envNameSchema.describe("Environment variable that contains the secret which verifies requests.")
const approvers = z
  .array(z.string().min(1).max(200))
  .default([])
  .describe("Who can decide: names of `people`, GitHub login names or Slack user ids. Empty: nobody.")
const hookType = <const Name extends string>(name: Name) => z.literal(name).describe("Who sends the requests.")
export const inboundSchema = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: hookType("github"),
      secretEnv: signingSecret,
      approvers,
      repositories: z
        .array(z.string().regex(/^[A-Za-z0-9-]{1,100}\/[A-Za-z0-9._-]{1,100}$/, "must be owner/name"))
        .min(1)
        .max(1_000)
        .optional()
        .describe("Repositories whose comments count, as `owner/name`. Without it: every repository with the secret."),
    })
    .describe("A webhook of GitHub."),
  z.strictObject({ type: hookType("slack"), secretEnv: signingSecret, approvers }).describe("An app in Slack."),
  z
    .strictObject({ type: hookType("standard"), secretEnv: signingSecret })
    .describe("Any program that signs requests by Standard Webhooks; the holder of the secret is the approver."),
])

const hours = z.number().nonnegative().max(87_600)
export const channelSchema = z.strictObject({
  type: z.literal("webhook").describe("Kind of the channel."),
  outboundUrl: httpUrlSchema.describe("Address to which answers are posted."),
  secretEnv: envNameSchema.describe("Environment variable that contains the secret which signs and verifies messages."),
  agent: profileNameSchema
    .optional()
    .describe("Profile of sessions that messages in unknown threads start. Without it: `general`."),
  commands: z
    .boolean()
    .default(false)
    .describe(
      "Whether `/help` and the commands that it lists are commands in a thread, about its task. Without it, every message goes to the agent.",
    ),
  threadBindings: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Whether threads can be bound to sessions."),
      idleHours: hours.default(24).describe("Time without a message after which a binding ends. 0: never."),
      maxAgeHours: hours.default(0).describe("Time after which a binding ends in any case. 0: never."),
      spawnSubagentSessions: z
        .boolean()
        .default(true)
        .describe("Whether a message in an unknown thread starts a session, and sub-agents can get their own threads."),
    })
    .prefault({})
    .describe("How threads of the channel are bound to sessions."),
})

export const storeSchema = z.strictObject({
  url: z
    .string()
    .regex(/^(sqlite:.*|postgres(ql)?:\/\/.+)$/, "must begin with sqlite: or postgres://")
    .default("sqlite:")
    .describe(
      "`sqlite:` for a file in the data directory, `sqlite:<file>` for another file, or `postgres://user@host:5432/database`. Set the password in `PGPASSWORD`.",
    ),
})
