import { z } from "zod"
import { pauseReasonSchema } from "./approval/pause.ts"
import { statusSchema, stopReasonSchema } from "./status.ts"
import { usageSchema } from "./usage.ts"

/**
 * State of an open session's run in Temporal: `running`; `ended` (the outcome shown is Temporal's); `not_found`; `unknown` if Temporal did not
 * answer.
 */
export const engineStateSchema = z.enum(["running", "ended", "not_found", "unknown"])
export type EngineState = z.infer<typeof engineStateSchema>

/** A session as every adapter shows it. Absent values are null; steps and usage cover the whole session; times are ISO 8601 UTC. */
export const sessionSchema = z.object({
  id: z.string(),
  session_key: z.string(),
  status: statusSchema,
  stop_reason: stopReasonSchema.nullable(),
  title: z.string().nullable(),
  agent: z.string(),
  model: z.string(),
  parent_session_id: z.string().nullable(),
  root_session_id: z.string(),
  depth: z.number().int(),
  cwd: z.string(),
  run_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  pause_reason: pauseReasonSchema.nullable(),
  final_message: z.string().nullable(),
  steps_taken: z.number().int(),
  usage: usageSchema,
  created_at: z.string(),
  updated_at: z.string(),
  /** Null if Temporal was not asked: in lists, and if no run is active. */
  engine_state: engineStateSchema.nullable().default(null),
})
export type Session = z.infer<typeof sessionSchema>

/** Returns the schema of one page of a list. `next_cursor` is null on the last page. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })
