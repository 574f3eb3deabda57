import { tokenCountSchema } from "../../contracts/usage.ts"
import { z } from "zod"

/** A regular expression in YAML: its source, or `/source/flags`. */
const regexSchema = z
  .string()
  .min(1)
  .transform((source, context) => {
    const literal = /^\/(.*)\/([a-z]*)$/s.exec(source)
    try {
      return literal ? new RegExp(literal[1] ?? "", literal[2]) : new RegExp(source)
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: error instanceof Error ? error.message : "is not a valid regular expression",
      })
      return z.NEVER
    }
  })

const textExpectations = { contains: z.string().min(1).optional(), matches: regexSchema.optional() }

const lastSchema = z.strictObject({ role: z.enum(["user", "assistant", "tool"]).optional(), ...textExpectations })

const expectSchema = z.strictObject({
  /** The last message that the model gets. */
  last: lastSchema.optional(),
  /** Each entry must match at least one result since the model's last answer. */
  tool_results: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        outcome: z.enum(["ok", "error", "rejected", "skipped", "unknown", "custom"]).optional(),
        ...textExpectations,
      }),
    )
    .optional(),
  tools: z
    .strictObject({ include: z.array(z.string()).optional(), exclude: z.array(z.string()).optional() })
    .optional(),
  /** Number of messages that the model gets. */
  messages: z.number().int().positive().optional(),
  system: z.strictObject(textExpectations).optional(),
})

const replySchema = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        /** A mapping, or the text that the model wrote, which can be invalid JSON. */
        arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
        id: z.string().min(1).optional(),
      }),
    )
    .optional(),
  usage: z
    .strictObject({
      input_tokens: tokenCountSchema.optional(),
      output_tokens: tokenCountSchema.optional(),
      cache_read_tokens: tokenCountSchema.optional(),
      cache_write_tokens: tokenCountSchema.optional(),
      reasoning_tokens: tokenCountSchema.optional(),
    })
    .optional(),
  stop: z
    .enum(["end_turn", "tool_calls", "max_tokens", "pause_turn", "refusal", "context_exceeded", "unknown"])
    .optional(),
  delay_ms: z.number().int().nonnegative().max(86_400_000).optional(),
  /** Characters per streamed piece. */
  stream_chunk: z.number().int().positive().optional(),
  /** Pause before each streamed piece. */
  chunk_delay_ms: z.number().int().nonnegative().max(60_000).optional(),
  error: z
    .strictObject({
      /** An HTTP status, or `connection` for a broken connection. */
      status: z.union([z.number().int().min(400).max(599), z.literal("connection")]),
      retry_after: z.number().nonnegative().optional(),
      /** Number of attempts that fail before the turn answers (default: all). */
      times: z.number().int().positive().optional(),
      message: z.string().optional(),
    })
    .optional(),
})

const turnSchema = z.strictObject({
  /** How many times in a row the turn is used (default: 1). */
  repeat: z.number().int().positive().default(1),
  expect: expectSchema.optional(),
  reply: replySchema,
})

const conversationSchema = z.strictObject({
  name: z.string().min(1).optional(),
  /** Every given condition must match; without conditions, everything matches. */
  when: z.strictObject({ user: regexSchema.optional(), system: regexSchema.optional() }).optional(),
  /**
   * Replies to messages that can arrive at any turn, such as steering or a child's report. The first one whose `last` matches answers instead of
   * the turn.
   */
  interjections: z.array(z.strictObject({ last: lastSchema, reply: replySchema })).default([]),
  /** The reply to the request for a summary, when the conversation does not fit into `contextTokens` (default: a fixed text). */
  summary: replySchema.optional(),
  /** The last answer of a run that has used its steps; its calls are left out (default: an empty answer). */
  report: replySchema.optional(),
  turns: z.array(turnSchema).min(1),
})

export type ScriptedConversation = z.infer<typeof conversationSchema>
export type ScriptedExpectations = z.infer<typeof expectSchema>
export type ScriptedReply = z.infer<typeof replySchema>

const oneConversation = conversationSchema.transform((conversation) => ({ conversations: [conversation] }))
const severalConversations = z.strictObject({ conversations: z.array(conversationSchema).min(1) })

/**
 * Returns the schema for a file with one conversation, or with several, of which the first that matches is used. A union would not name the
 * mistakes.
 */
export const scriptSchemaFor = (value: unknown) =>
  typeof value === "object" && value !== null && "conversations" in value ? severalConversations : oneConversation
