import { z } from "zod"
import { textSchema } from "./text-schemas.ts"
import { modelNameSchema, toolNameSchema } from "../config/config-names.ts"
import { idSchema } from "./http-ids.ts"

/** A text, or the same as a chat message. */
const messageInputSchema = z.union([textSchema, z.strictObject({ role: z.literal("user"), content: textSchema })])

const contextSchema = z.strictObject({ name: z.string().min(1).max(200), content: z.string().max(1_000_000) })

/** A message for a session, with what the run that it starts may use; in a session that ran before, at most what that had. */
export const sendMessageBodySchema = z
  .strictObject({
    message: messageInputSchema.optional(),
    messages: z.array(messageInputSchema).min(1).max(100).optional(),
    type: z.enum(["message", "follow_up", "steering"]).default("message"),
    /** The run that it is meant for: refused with `run_mismatch` when the session's run is another one. */
    run_id: idSchema.optional(),
    /** The pause that it answers: refused with `checkpoint_stale` when that is over. */
    checkpoint_id: idSchema.optional(),
    model: modelNameSchema.optional(),
    sandbox: z.boolean().optional(),
    max_steps: z.number().int().min(1).max(256).optional(),
    allowed_tools: z.array(toolNameSchema).min(1).max(500).optional(),
    /** `true`: every allowed tool runs unasked; a list: those do. */
    auto_approve: z.union([z.boolean(), z.array(toolNameSchema).max(500)]).optional(),
    /** A reply without a tool call pauses for an answer instead of ending the run. */
    pause_on_approval: z.boolean().optional(),
    system_prompt: z.string().min(1).max(262_144).optional(),
    context: z.array(contextSchema).max(50).optional(),
    budget_usd: z.number().positive().max(1_000_000).optional(),
    budget_tokens: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
    timeout_seconds: z.number().int().nonnegative().max(31_536_000).optional(),
  })
  .refine((body) => (body.message === undefined) !== (body.messages === undefined), {
    path: ["message"],
    message: "give either message or messages",
  })
export type SendMessageBody = z.infer<typeof sendMessageBodySchema>

export const runAnswerSchema = z.object({ run_id: z.string() })
