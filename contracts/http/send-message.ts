import { z } from "zod"
import { textSchema } from "../text-schemas.ts"
import { runOptionsShape } from "../run/run-options.ts"
import { idSchema } from "./http-ids.ts"
import { createSessionBodySchema } from "./sessions.ts"

/** A text, alone or as a chat message. */
const messageInputSchema = z.union([textSchema, z.strictObject({ role: z.literal("user"), content: textSchema })])

/** A text, and the options of the run that it starts. */
const instructionShape = {
  message: messageInputSchema.optional(),
  messages: z.array(messageInputSchema).min(1).max(100).optional(),
  ...runOptionsShape,
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

/** What a message does: it starts a run, waits for the end of the current one, answers its question, or steers it. */
export const sentEffectSchema = z.enum(["started", "queued", "answered", "steered"])

/** `applied`: the run has read the message. `accepted`: it is stored durably and read as soon as a worker is running. */
export const runAnswerSchema = z.object({
  run_id: z.string(),
  state: z.enum(["applied", "accepted"]),
  effect: sentEffectSchema.optional(),
})

/** A new session and its first message. */
export const startRunBodySchema = z
  .strictObject({ ...createSessionBodySchema.omit({ parent_session_id: true }).shape, ...instructionShape })
  .refine(hasOneText, oneText)
export type StartRunBody = z.infer<typeof startRunBodySchema>
