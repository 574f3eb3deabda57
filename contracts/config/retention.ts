import { z } from "zod"

const days = z.number().min(1).max(36_500).optional()

/** How long a store keeps what has ended. */
export const retentionSchema = z.strictObject({
  days: days.describe(
    "Days after which a task that has ended is erased with its sub-agents: transcripts, files, events and what Temporal has of it. Its usage and the audit remain. Without it: never.",
  ),
  eventsDays: days.describe(
    "Days after which the events of a session that has ended are erased; its transcript remains. Without it: as long as the session.",
  ),
  keepLabels: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe("Tasks with one of these labels are never erased because of their age."),
})
export type Retention = z.infer<typeof retentionSchema>
