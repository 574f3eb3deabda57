import { z } from "zod"
import { callPreviewSchema } from "./call-preview.ts"

export const pauseTypeSchema = z.enum(["tool_approval_required", "input_required"])
export type PauseType = z.infer<typeof pauseTypeSchema>

/** A call that waits for a decision. `task_id` and `checkpoint_id` name its owner if that is not the document's own session. */
export const pendingToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  preview: callPreviewSchema,
  protected: z
    .literal(true)
    .optional()
    .describe(
      "It changes a protected path, or asks to leave the sandbox: a decision for all calls does not approve it, only one that names it.",
    ),
  approval_by: z
    .object({ people: z.array(z.string()), require: z.number().int(), not_own: z.boolean() })
    .optional()
    .describe(
      "Who decides about it, and how many of them must approve it. Absent if no rule of `approvals` covers it.",
    ),
  task_id: z.string().optional(),
  checkpoint_id: z.string().optional(),
})
export type PendingToolCall = z.infer<typeof pendingToolCallSchema>

export const pauseReasonSchema = z.object({
  type: pauseTypeSchema,
  pending_tool_calls: z.array(pendingToolCallSchema).optional(),
  questions: z
    .array(z.object({ task_id: z.string(), checkpoint_id: z.string(), agent_message: z.string() }))
    .optional()
    .describe("In a tree's document: what its tasks ask, each to be answered at its own checkpoint."),
})
export type PauseReason = z.infer<typeof pauseReasonSchema>
