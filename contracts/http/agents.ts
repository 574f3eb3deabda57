import { z } from "zod"
import { delegationSchema } from "../delegation/delegation-family.ts"
import { idSchema } from "./http-ids.ts"

export const agentParamsSchema = z.object({ name: idSchema })

const agentSummarySchema = z.object({
  id: z.string().describe("The name of the profile"),
  type: z.enum(["llm", "binary", "mcp-bridge"]),
  delegation: delegationSchema,
  description: z.string().nullable(),
  active: z.number().int().describe("Number of open sessions that run as this profile"),
})

export const agentListSchema = z.object({ items: z.array(agentSummarySchema), next_cursor: z.null() })

export const agentSchema = agentSummarySchema.extend({
  profile: z
    .looseObject({ type: z.string() })
    .describe("The settings, as the configuration has them; without the values of environment variables"),
})
