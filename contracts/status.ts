import { z } from "zod"

/** Status of a session: that of its latest run. */
export const statusSchema = z.enum(["pending", "running", "paused", "completed", "failed", "cancelled", "timed_out"])
export type Status = z.infer<typeof statusSchema>

/** Why a run ended. `max_steps budget refusal error terminated` show as status `failed`. */
export const stopReasonSchema = z.enum([
  "completed",
  "max_steps",
  "budget",
  "timeout",
  "cancelled",
  "terminated",
  "error",
  "refusal",
])
export type StopReason = z.infer<typeof stopReasonSchema>
