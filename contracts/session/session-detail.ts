import { z } from "zod"
import { runApprovalSchema } from "../approval/run-policy.ts"
import { sessionSchema } from "./session.ts"
import { statusSchema, stopReasonSchema } from "../status.ts"
import { sessionWorktreeSchema } from "../delegation/worktree.ts"

/** One run of a session, from its acceptance to its outcome. */
export const sessionRunSchema = z.object({
  run_id: z.string(),
  status: statusSchema,
  stop_reason: stopReasonSchema.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  steps_taken: z.number().int(),
  fallback_model: z
    .string()
    .nullable()
    .default(null)
    .describe("The fallback model that took the run's last step; null if the session's model did."),
  compactions: z.number().int().default(0).describe("How often its conversation was shortened for the model."),
  ran_seconds: z.number().default(0).describe("How long it ran as of its last step, without waits."),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
})

/** A message that waits until the session reads it. */
export const queuedMessageSchema = z.object({
  id: z.string(),
  type: z
    .enum(["steering", "follow_up"])
    .describe("`steering`: the run reads it at its next safe point. `follow_up`: it begins the next run."),
  text: z.string(),
  at: z.string(),
})

/** A session with what only a look at one session shows. */
export const sessionDetailSchema = sessionSchema.extend({
  /** `session`: it stays open for messages of its thread. */
  mode: z.enum(["run", "session"]),
  /** `delete`: it is archived as soon as its result is delivered. */
  cleanup: z.enum(["keep", "delete"]),
  agent_message: z
    .string()
    .nullable()
    .describe("While the session is paused: its question, or its last text before the pending calls."),
  transcript: z.string().describe("The address of its transcript as an MCP resource."),
  approval: runApprovalSchema
    .nullable()
    .default(null)
    .describe(
      "Which calls of its latest run need no decision: `all`, the listed tools, or those that `policy` allows; null before the first run.",
    ),
  queued_messages: z
    .array(queuedMessageSchema)
    .default([])
    .describe("What was sent and no model has read yet, oldest first: steering, and messages for the next run."),
  runs: z.array(sessionRunSchema).describe("Its runs, oldest first."),
  worktree: sessionWorktreeSchema.optional().describe("Its git worktree; absent if it has none."),
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>
