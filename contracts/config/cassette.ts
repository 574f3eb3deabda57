import { z } from "zod"
import { assistantPartSchema, messageSchema } from "../message.ts"

export const cassetteModeSchema = z.enum(["strict", "lenient"])
export type CassetteMode = z.infer<typeof cassetteModeSchema>

/** The largest cassette that is written or read. Bytes. */
export const maxCassetteBytes = 4 * 1024 * 1024

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)

/** What identifies a part of a request, and what errors show of it. */
const printSchema = z.strictObject({
  sha256: sha256Schema,
  shows: z.string().max(300),
})
export type CassettePrint = z.infer<typeof printSchema>

const assistantSchema = messageSchema.options[1]

/** An answer of a model, without what only its provider understands. */
export const cassetteReplySchema = z.strictObject({
  parts: z.array(assistantPartSchema),
  usage: assistantSchema.shape.usage,
  stop: assistantSchema.shape.stop,
  stop_word: assistantSchema.shape.stop_word,
})
export type CassetteReply = z.infer<typeof cassetteReplySchema>

/** The model turns of one task, in order. */
const conversationSchema = z.strictObject({
  task_id: z.string(),
  agent: z.string(),
  /** Its messages, without summaries. */
  messages: z.array(printSchema),
  turns: z.array(
    z.strictObject({
      system: printSchema,
      tools: printSchema,
      /** Identifies all messages of the request. */
      messages: sha256Schema,
      reply: cassetteReplySchema,
    }),
  ),
})
export type CassetteConversation = z.infer<typeof conversationSchema>

/** The recorded answers of models, for `provider: cassette`. docs/test-agents.md describes the file. */
export const cassetteSchema = z.strictObject({
  adjutant_cassette: z.literal(1),
  recorded_at: z.iso.datetime(),
  conversations: z.array(conversationSchema).min(1),
})
export type Cassette = z.infer<typeof cassetteSchema>
