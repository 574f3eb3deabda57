import { z } from "zod"
import { plainPattern, textSchema } from "../text-schemas.ts"

const key = z
  .string()
  .min(1)
  .max(500)
  .regex(plainPattern, "must not contain control characters")
  .refine((text) => text.isWellFormed(), "must be well-formed text")

/** A thread of a channel, as the channel names it. */
export const threadKeySchema = key

/** A message that a channel sends: a person wrote in a thread. A repeated `message_id` has no further effect. */
export const channelMessageSchema = z.strictObject({
  thread_key: threadKeySchema,
  text: textSchema,
  message_id: key,
})
export type ChannelMessage = z.infer<typeof channelMessageSchema>

export const channelAnswerSchema = z.object({
  status: z.enum(["accepted", "ignored"]),
  session_id: z.string().optional(),
  run_id: z.string().optional(),
})

/** A message that a channel receives: the answer of the bound session, for the same thread. */
export const channelReplySchema = z.object({
  thread_key: z.string(),
  text: z.string(),
  message_id: z.string(),
  session_id: z.string(),
})
