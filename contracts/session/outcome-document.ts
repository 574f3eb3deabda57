import { z } from "zod"
import { pauseReasonSchema } from "../approval/pause.ts"
import { stopReasonSchema } from "../status.ts"
import { warningSchema } from "../run/warning.ts"
import { usageSchema } from "../usage.ts"

const warningsSchema = z
  .array(warningSchema)
  .optional()
  .describe("What a person should know about the run all the same. Absent if there is nothing.")

/** The JSON document that `run`, `resume` and `wait` print, and that the pause manifest contains. */
export const outcomeDocumentSchema = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("paused"),
    task_id: z.string(),
    checkpoint_id: z.string(),
    session_id: z.string(),
    pause_reason: pauseReasonSchema,
    agent_message: z.string(),
    resume_hint: z.string(),
    steps_taken: z.number().int(),
    usage: usageSchema,
  }),
  z.object({
    outcome: z.literal("completed"),
    task_id: z.string(),
    checkpoint_id: z.string(),
    session_id: z.string(),
    final_message: z.string(),
    /** The result as a value, if the run has an output schema: it validates. */
    result: z.unknown().optional(),
    warnings: warningsSchema,
    steps_taken: z.number().int(),
    usage: usageSchema,
  }),
  z.object({
    outcome: z.literal("failed"),
    task_id: z.string(),
    session_id: z.string(),
    stop_reason: stopReasonSchema,
    error: z.object({ code: z.string(), message: z.string() }),
    partial_output: z.string().optional(),
    warnings: warningsSchema,
    steps_taken: z.number().int(),
    usage: usageSchema,
  }),
  z.object({ outcome: z.literal("started"), task_id: z.string(), session_id: z.string(), run_id: z.string() }),
])
export type OutcomeDocument = z.infer<typeof outcomeDocumentSchema>
