import { z } from "zod"

/** Event types of a session's log, noun-verb. */
export const eventTypeSchema = z.enum([
  "run-started",
  "step-started",
  "text-delta",
  "reasoning-delta",
  "model-retry",
  "model-changed",
  "tools-changed",
  "tools-unavailable",
  "tools-unlisted",
  "tool-calls-proposed",
  "run-paused",
  "decision-recorded",
  "tool-started",
  "tool-progressed",
  "tool-finished",
  "child-started",
  "child-finished",
  "worktree-opened",
  "worktree-closed",
  "worktree-merged",
  "steering-applied",
  "usage-updated",
  "limit-approached",
  "prompt-cut",
  "context-compacted",
  "run-finished",
])
export type EventType = z.infer<typeof eventTypeSchema>

/** One event as clients get it, with its own fields. `id` increases per session; `at` is ISO 8601 in UTC. */
export const sessionEventSchema = z.looseObject({
  id: z.number().int().positive(),
  type: eventTypeSchema,
  session_id: z.string(),
  run_id: z.string(),
  at: z.string(),
})
export type SessionEvent = z.infer<typeof sessionEventSchema>
