import { z } from "zod"
import { callPreviewSchema } from "../approval/call-preview.ts"
import { pauseTypeSchema } from "../approval/pause.ts"
import { sessionSchema } from "../session/session.ts"
import { statusSchema, stopReasonSchema } from "../status.ts"
import { usageSchema } from "../usage.ts"

const pauseSchema = z.object({
  checkpoint_id: z.string(),
  type: pauseTypeSchema,
  /** One line that says which agent requests what. */
  summary: z.string(),
  /** The agent's last text, or its question. */
  message: z.string(),
  /** Long texts in arguments are cut; the link shows them in full. */
  pending: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      preview: callPreviewSchema,
      session_id: z.string(),
    }),
  ),
  /** A page where a person decides; null for a question. GET never decides; `POST {action, content?}` to the same address decides once. */
  approve_url: z.string().nullable(),
  reject_url: z.string().nullable(),
  /** A page where a person answers a question; null for pending calls. */
  answer_url: z.string().nullable(),
  links_expire_at: z.string(),
})

const resultSchema = z.object({
  run_id: z.string(),
  status: statusSchema,
  stop_reason: stopReasonSchema,
  /** Partial output if the run did not complete. */
  final_message: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  steps_taken: z.number().int(),
  usage: usageSchema,
  duration_ms: z.number().int().nullable(),
})

/** Body of an outbound webhook. */
export const outboundWebhookSchema = z.object({
  type: z.enum(["run-paused", "run-finished"]),
  session: sessionSchema,
  pause: pauseSchema.optional(),
  result: resultSchema.optional(),
  at: z.string(),
})
export type OutboundWebhook = z.infer<typeof outboundWebhookSchema>
