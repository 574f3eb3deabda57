import { z } from "zod"
import { plainPattern } from "./text-schemas.ts"

const key = z
  .string()
  .min(1)
  .max(500)
  .regex(plainPattern, "must hold no control characters")
  .refine((text) => text.isWellFormed(), "must be well-formed text")

/** A thread of a channel, as the channel names it. */
export const threadKeySchema = key

/** What a channel sends: somebody wrote in a thread. `message_id` makes a repeated message one. */
export const channelMessageSchema = z.strictObject({
  thread_key: threadKeySchema,
  text: z.string().min(1).max(1_000_000),
  message_id: key,
})
export type ChannelMessage = z.infer<typeof channelMessageSchema>

export const channelAnswerSchema = z.object({
  status: z.enum(["accepted", "ignored"]),
  session_id: z.string().optional(),
  run_id: z.string().optional(),
})

/** What a channel gets: the bound session's answer, for the same thread. */
export const channelReplySchema = z.object({
  thread_key: z.string(),
  text: z.string(),
  message_id: z.string(),
  session_id: z.string(),
})
