import { z } from "zod"
import { saidSchema } from "../text-schemas.ts"
import { outputSchemaSchema } from "../run/output-schema.ts"
import { limitArgumentsShape } from "../run/limit-schemas.ts"
import { choiceArgumentsShape } from "../run/choice-schemas.ts"
import { statusSchema } from "../status.ts"

const key = z.string().min(1).max(2_000).describe("Session key, id or label")
const limit = z.number().int().min(1).max(1_000)

export const sessionsSpawnInputSchema = z.strictObject({
  task: saidSchema.describe("Everything that the sub-agent must know and do: it does not see this conversation"),
  context: z
    .string()
    .max(1_000_000)
    .optional()
    .describe("Results of earlier work that the sub-agent needs; a program gets them apart from its task"),
  label: z.string().min(1).max(200).optional().describe("A short name for the sub-agent"),
  agentId: z.string().min(1).max(200).optional().describe("Profile to run as (default: your own); see agents_list"),
  model: z.string().min(1).max(200).optional(),
  ...choiceArgumentsShape("sessions_spawn"),
  ...limitArgumentsShape("sessions_spawn"),
  thread: z.boolean().default(false).describe("Bind the sub-agent to a thread of your channel"),
  mode: z.enum(["run", "session"]).optional().describe("session: stays open for follow-ups; requires thread"),
  cleanup: z.enum(["keep", "delete"]).default("keep").describe("delete: archive it as soon as its result is delivered"),
  sandbox: z.enum(["inherit", "require"]).default("inherit"),
  worktree: z
    .boolean()
    .optional()
    .describe(
      "true: the sub-agent works in a git worktree of its own, with your files as they are now, and can write nowhere else. When it ends, you get its changes as a diff, which sessions_merge applies to your files",
    ),
  output_schema: outputSchemaSchema
    .optional()
    .describe("JSON Schema: the sub-agent completes only with a JSON result that validates"),
})
export type SessionsSpawnInput = z.infer<typeof sessionsSpawnInputSchema>

export const agentsListInputSchema = z.strictObject({
  agentId: z.string().min(1).max(200).optional().describe("Only this profile, with its settings"),
})
export const sessionsListInputSchema = z.strictObject({
  status: statusSchema.optional(),
  parent: z.string().min(1).max(2_000).optional().describe("Only the sub-agents of this session: id, key, label or #n"),
  archived: z.boolean().optional().describe("true: only archived sessions, which the list otherwise omits"),
  limit: limit.optional(),
})
export const sessionsHistoryInputSchema = z.strictObject({
  sessionKey: key,
  limit: limit.optional().describe("Maximum number of rows, the newest ones"),
  includeTools: z.boolean().optional().describe("Include tool calls and results"),
})
export const sessionsSendInputSchema = z.strictObject({ sessionKey: key, message: saidSchema })
export const sessionsMergeInputSchema = z.strictObject({
  sessionKey: key,
  tree: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be the tree of the sub-agent's result")
    .describe("The tree that the sub-agent's result names: exactly these changes are merged, or none"),
})
export const sessionsYieldInputSchema = z.strictObject({})

export const subagentsInputSchema = z.strictObject({
  action: z.enum(["list", "info", "log", "diff", "send", "steer", "kill", "wait"]),
  target: z.string().min(1).max(2_000).optional().describe("id, label, #n, or all"),
  message: saidSchema.optional().describe("For send and steer"),
  limit: limit.optional().describe("For log"),
  includeTools: z.boolean().optional().describe("For log"),
  timeoutSeconds: z.number().positive().max(31_536_000).optional().describe("For wait"),
})
export type SubagentsInput = z.infer<typeof subagentsInputSchema>
