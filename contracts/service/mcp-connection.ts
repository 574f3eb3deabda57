import { z } from "zod"

/** Families of tools that an MCP client can be offered. */
export const toolsetNames = ["tasks", "task", "sessions", "profiles"] as const
const toolsetSchema = z.enum(toolsetNames)
export type Toolset = z.infer<typeof toolsetSchema>
export const delegationToolsets = ["tasks", "task", "sessions"] as const satisfies readonly Toolset[]

/** The protocol to which a connection on the socket of a service changes, so that it carries the messages of an MCP client. */
export const mcpProtocol = "adjutant-mcp"

/** The first line of such a connection: for whom the service speaks MCP. It keeps the environment in its memory, while the client is connected. */
export const mcpHelloSchema = z.strictObject({
  /** The `serviceApi` of the command. */
  api: z.number().int(),
  /** Version of the command's package. */
  version: z.string(),
  /** Working directory of the command, where its configuration is looked for. */
  cwd: z.string().min(1),
  config_path: z.string().nullable(),
  is_trusted: z.boolean(),
  env: z.record(z.string(), z.string()),
  toolsets: z.array(toolsetSchema),
  no_approve: z.boolean(),
  /** Distinguishes the clients of one project. */
  caller: z.string().min(1),
  all_sessions: z.boolean(),
  /** Working directory of the sub-agents. */
  directory: z.string().min(1),
  /** Null: calls are answered within the limits of usual clients. */
  answer_within_seconds: z.number().positive().nullable(),
})
export type McpHello = z.infer<typeof mcpHelloSchema>

/** The service's first line: the connection speaks MCP from now on, or why it does not. */
export const mcpWelcomeSchema = z.union([
  z.object({
    /** The tools whose calls can be sent again to another service, after this one was lost. */
    repeatable: z.array(z.string()),
    /** Whether the service ends with its last command. */
    ends_with_last: z.boolean(),
  }),
  z.object({ code: z.string(), error: z.string() }),
])
export type McpWelcome = z.infer<typeof mcpWelcomeSchema>

/** In `_meta` of a call that is sent again after its service was lost: what it started before is returned. */
export const repeatedKey = "adjutant/repeated"
