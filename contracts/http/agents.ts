import { z } from "zod"
import { profileNameSchema } from "../names.ts"
import { storedProfileSchema } from "../config/stored-profile.ts"
import { delegationSchema } from "../config/agent-profile.ts"
import { statusSchema } from "../status.ts"
import { idSchema } from "./http-ids.ts"

export const agentParamsSchema = z.object({ name: idSchema })

const agentSummarySchema = z.object({
  id: z.string().describe("The name of the profile"),
  type: z.enum(["llm", "binary", "mcp-bridge"]),
  delegation: delegationSchema,
  description: z.string().nullable(),
  active: z.number().int().describe("Number of open sessions that run as this profile"),
  source: z
    .enum(["built-in", "config", "store"])
    .describe("Where the profile comes from; only those from the store can be edited"),
})

const agentSessionSchema = z.object({
  id: z.string(),
  status: statusSchema,
  label: z.string().nullable(),
  thread: z
    .object({ channel: z.string(), key: z.string() })
    .nullable()
    .describe("The thread that the session is bound to"),
})

export const agentListSchema = z.object({
  items: z.array(
    agentSummarySchema.extend({
      sessions: z.array(agentSessionSchema).describe("Sessions of the profile that are open or bound to a thread"),
    }),
  ),
  next_cursor: z.null(),
})
/** A profile, with the sessions that run as it. */
export type AgentListItem = z.infer<typeof agentListSchema>["items"][number]

export const agentSchema = agentSummarySchema.extend({
  profile: z
    .looseObject({ type: z.string() })
    .describe("The settings, as the configuration has them; without the values of environment variables"),
  version: z
    .number()
    .int()
    .nullable()
    .describe("Version of a profile from the store, which an edit must name; null for other profiles"),
  updated_at: z.iso.datetime().nullable(),
  updated_by: z.string().nullable(),
})
/** A profile with its settings. */
export type Agent = z.infer<typeof agentSchema>

const version = z.number().int().positive().describe("The version on which the change is based")

export const createAgentBodySchema = z.strictObject({ name: profileNameSchema, profile: storedProfileSchema })
export type CreateAgentBody = z.infer<typeof createAgentBodySchema>

export const updateAgentBodySchema = z.strictObject({ profile: storedProfileSchema, version })
export type UpdateAgentBody = z.infer<typeof updateAgentBodySchema>

export const deleteAgentQuerySchema = z.strictObject({
  version: z.coerce.number().int().positive().optional().describe("Deletes only this version; default: the latest"),
})

const rate = z.number().nullable().describe("List price of a million tokens in US dollars; null if it is unknown")

/** What a new run can name: its model and its directory. Its agent is one of the profiles. */
export const choicesSchema = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      provider: z.string(),
      model: z.string().describe("The provider's id of the model"),
      input_usd: rate,
      output_usd: rate,
    }),
  ),
  workspaces: z
    .array(z.string())
    .describe("The directories in which sessions of HTTP callers can work, or below which; the first is the default"),
})
export type Choices = z.infer<typeof choicesSchema>
