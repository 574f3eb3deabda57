import { z } from "zod"
import { listOf } from "../session/session.ts"
import { statusSchema } from "../status.ts"

export const stopBodySchema = z.strictObject({
  all: z.literal(true).describe("Must be `true`: every open session of the store is cancelled."),
})

const stoppedSessionSchema = z.object({
  session_id: z.string(),
  root_session_id: z.string(),
  parent_session_id: z.string().nullable(),
  title: z.string().nullable(),
  agent: z.string(),
  previous_status: statusSchema.describe("Status before the request."),
  status: statusSchema.describe("Status now: `cancelled`, unless the session ended by itself or is still stopping."),
})

export const stopAnswerSchema = listOf(stoppedSessionSchema).describe("The sessions that were open, oldest first.")
export type StopReport = z.infer<typeof stopAnswerSchema>
