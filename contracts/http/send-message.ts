import { z } from "zod"
import { textSchema } from "./text-schemas.ts"
import { modelNameSchema, toolNameSchema } from "../config/config-names.ts"
import { thinkingSchema } from "../model-provider.ts"
import { outputSchemaSchema } from "../output-schema.ts"
import { idSchema } from "./http-ids.ts"
import { createSessionBodySchema } from "./sessions.ts"

/** A text, alone or as a chat message. */
const messageInputSchema = z.union([textSchema, z.strictObject({ role: z.literal("user"), content: textSchema })])

const contextSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  content: z.string().max(1_000_000),
})

/** A text, and the limits of the run that it starts. */
const instructionShape = {
  message: messageInputSchema.optional(),
  messages: z.array(messageInputSchema).min(1).max(100).optional(),
  model: modelNameSchema.optional(),
  thinking: thinkingSchema.optional(),
  /** `true`: commands run only in a sandbox. `off`: where none works, Bash runs without one; requires the scope `approve`. */
  sandbox: z.union([z.boolean(), z.literal("off")]).optional(),
  max_steps: z.number().int().min(1).max(256).optional(),
  allowed_tools: z.array(toolNameSchema).min(1).max(500).optional(),
  /** `true`: every allowed tool runs without approval; a list: these tools do. */
  auto_approve: z.union([z.boolean(), z.array(toolNameSchema).max(500)]).optional(),
  /** A reply without a tool call pauses for an answer instead of ending the run. */
  pause_on_approval: z.boolean().optional(),
  /** The run completes only with a result that validates against this JSON Schema. */
  output_schema: outputSchemaSchema.optional(),
  system_prompt: z.string().min(1).max(262_144).optional(),
  context: z.array(contextSchema).max(50).optional(),
  budget_usd: z.number().positive().max(1_000_000).optional(),
  budget_tokens: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
  timeout_seconds: z.number().nonnegative().max(31_536_000).optional(),
} as const

type Texts = Readonly<Record<"message" | "messages", unknown>>

const hasOneText = ({ message, messages }: Partial<Texts>): boolean =>
  (message === undefined) !== (messages === undefined)
const oneText = { path: ["message"], message: "give either message or messages" }

/** A message for a session, with the limits of the run that it starts. In a session that ran before, they can only be narrower. */
export const sendMessageBodySchema = z
  .strictObject({
    ...instructionShape,
    type: z.enum(["message", "follow_up", "steering"]).default("message"),
    /** The run that the message is for. It is refused with `run_mismatch` if the session is in another run. */
    run_id: idSchema.optional(),
    /** The pause that the message answers. It is refused with `checkpoint_stale` if that pause is no longer open. */
    checkpoint_id: idSchema.optional(),
  })
  .refine(hasOneText, oneText)
export type SendMessageBody = z.infer<typeof sendMessageBodySchema>

/** `applied`: the run has read the message. `accepted`: it is stored durably and read as soon as a worker is running. */
export const runAnswerSchema = z.object({ run_id: z.string(), state: z.enum(["applied", "accepted"]) })

/** A new session and its first message. */
export const startRunBodySchema = z
  .strictObject({ ...createSessionBodySchema.omit({ parent_session_id: true }).shape, ...instructionShape })
  .refine(hasOneText, oneText)
export type StartRunBody = z.infer<typeof startRunBodySchema>

export const startedRunSchema = z.object({ session_id: z.string(), run_id: z.string() })
