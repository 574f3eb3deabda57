import { z } from "zod"
import { pauseReasonSchema } from "../approval/pause.ts"
import { statusSchema, stopReasonSchema } from "../status.ts"
import { warningSchema } from "../run/warning.ts"
import { usageSchema } from "../usage.ts"

/**
 * State of an open session's run in Temporal: `running`; `ended` (the outcome shown is Temporal's); `not_found`; `unknown` if Temporal did not
 * answer.
 */
export const engineStateSchema = z.enum(["running", "ended", "not_found", "unknown"])
export type EngineState = z.infer<typeof engineStateSchema>

/**
 * What keeps a run from continuing, other than a pause of its own: a provider that fails or limits requests, a daily limit that calls of others have
 * reserved, a key that nobody has given, a slot of the lane, the machine that has the working directory, a worker whose slots are all in use, sub-agents
 * that wait for a person, the store, or Temporal.
 */
export const blockedBySchema = z.object({
  type: z.enum([
    ...(["provider_unavailable", "rate_limit", "daily_limit", "missing_key", "lane", "place"] as const),
    ...(["worker_busy", "child_paused", "store", "engine"] as const),
  ]),
  since: z.string().nullable().describe("Since when, ISO 8601 UTC; null if that is not known."),
  reason: z.string().nullable(),
  next_at: z.string().nullable().describe("When the next attempt is made, ISO 8601 UTC."),
  session_ids: z.array(z.string()).optional().describe("With `child_paused`: the sub-agents that wait."),
  machines: z
    .array(z.string())
    .optional()
    .describe(
      "With `place`: the machine that has the working directory and no worker; several if it is not known which one has it.",
    ),
})
export type BlockedBy = z.infer<typeof blockedBySchema>

/** One limit of a run. `limit` is null if there is none. */
const limitOf = <L extends z.ZodType, U extends z.ZodType>(limit: L, used: U) => z.object({ limit, used })
const amount = z.number().nonnegative()
const count = z.number().int().nonnegative()

/** The limits of a session's latest run, with what the run has used of each. Budgets include what its sub-agents used. */
export const sessionLimitsSchema = z.object({
  max_steps: limitOf(count, count),
  timeout_seconds: limitOf(amount.nullable(), amount).describe(
    "Counts running time as of the last step, without waits.",
  ),
  budget_usd: limitOf(amount.nullable(), amount.nullable()).describe("`used` is null if a price is unknown."),
  budget_tokens: limitOf(count.nullable(), count),
})
export type SessionLimits = z.infer<typeof sessionLimitsSchema>

/** A session as every adapter shows it. Absent values are null; steps and usage cover the whole session; times are ISO 8601 UTC. */
export const sessionSchema = z.object({
  id: z.string(),
  session_key: z.string(),
  status: statusSchema,
  stop_reason: stopReasonSchema.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe("Why the latest run failed."),
  title: z.string().nullable().describe("Without a title of its own, the beginning of its instruction."),
  label: z.string().nullable(),
  agent: z.string(),
  model: z.string(),
  parent_session_id: z.string().nullable(),
  root_session_id: z.string(),
  /** The session from whose first steps this one was created. */
  forked_from: z.string().nullable(),
  depth: z.number().int(),
  /** Its number among the sub-agents of its parent or, without a parent, of its caller: `#n`. It never changes. */
  number: z.number().int().nullable(),
  cwd: z.string(),
  run_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  pause_reason: pauseReasonSchema.nullable(),
  blocked_by: z.array(blockedBySchema).describe("All that keeps the run from continuing; empty if nothing does."),
  warnings: z.array(warningSchema).default([]).describe("Of the latest run, once that has ended."),
  final_message: z.string().nullable(),
  steps_taken: z.number().int(),
  usage: usageSchema,
  limits: sessionLimitsSchema.nullable().describe("Null before the first run."),
  /** Its page in the Temporal UI; null if the address of the UI is not known. */
  temporal_url: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Since when lists omit it. */
  archived_at: z.string().nullable(),
  /** Null if Temporal was not asked: in lists, and if no run is active. */
  engine_state: engineStateSchema.nullable().default(null),
})
export type Session = z.infer<typeof sessionSchema>

/** Returns the schema of one page of a list. `next_cursor` is null on the last page. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })
