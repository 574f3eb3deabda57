import { z } from "zod"

/** A tool call that a model proposed. `id` is unique within its assistant message. */
export const toolCallSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  /** Parsed arguments; `null` if the model's JSON could not be parsed (`raw_arguments` then contains the text). */
  arguments: z.record(z.string(), z.unknown()).nullable(),
  raw_arguments: z.string().optional(),
  /** The keys of the model's arguments that the tool does not have. They were left out. */
  ignored_arguments: z.array(z.string()).optional(),
  /** The model named the tool in a call of `call_tool`, and is shown its call in that form. */
  by_call_tool: z.literal(true).optional(),
})
export type ToolCall = z.infer<typeof toolCallSchema>

/**
 * One part of an assistant message. `opaque` carries what only its provider understands (thinking blocks with their
 * signatures, encrypted reasoning, paused server turns); it is returned to the same provider and model unmodified and to no other.
 */
export const assistantPartSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string(), opaque: z.unknown().optional() }),
  z.object({ type: z.literal("tool_call"), call: toolCallSchema, opaque: z.unknown().optional() }),
  z.object({ type: z.literal("opaque"), opaque: z.unknown() }),
])
export type AssistantPart = z.infer<typeof assistantPartSchema>

/** The source of a user message: a person or program, steering, a finished child, or Adjutant itself. */
export const userSourceSchema = z.enum(["instruction", "follow_up", "input", "steering", "announce", "notice"])
export type UserSource = z.infer<typeof userSourceSchema>

export const toolOutcomeSchema = z.enum(["ok", "error", "rejected", "skipped", "unknown", "custom"])
/**
 * How a call ended: it ran (`ok`, `error`), a person decided it without running it (`rejected`, `custom`), it never ran (`skipped`), or its result
 * is not known (`unknown`).
 */
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>

/** What a compaction changed in the prompt, by row numbers of the transcript, from which nothing is deleted. Each compaction includes those before it. */
export const compactionSchema = z.object({
  /** `results`: long results became references; `summary`: the text of this row also replaces the earlier rows. */
  kind: z.enum(["results", "summary"]),
  /** The last row that a summary replaces; 0: none. */
  summarised: z.number().int().nonnegative(),
  /** The last row whose long result is shown to the model as a reference; 0: none. */
  referenced: z.number().int().nonnegative(),
  /** The configured name of the model that wrote the summary. */
  model: z.string().optional(),
})
export type Compaction = z.infer<typeof compactionSchema>

const messageSourceSchema = z.enum([...userSourceSchema.options, "compaction"])
/** The source of a message on the user's side of a transcript: one of those above, or a compaction of the context. */
export type MessageSource = z.infer<typeof messageSourceSchema>

const userMessageSchema = z.object({
  role: z.literal("user"),
  source: messageSourceSchema,
  text: z.string(),
  /** Present only if the source is `compaction`. */
  compaction: compactionSchema.optional(),
})

const assistantMessageSchema = z.object({
  role: z.literal("assistant"),
  provider: z.string(),
  model: z.string(),
  parts: z.array(assistantPartSchema),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
    reasoningTokens: z.number(),
  }),
  /** How the answer ended. Only the calls of an answer that ended with `end_turn` or `tool_calls` run. */
  stop: z.enum(["end_turn", "tool_calls", "max_tokens", "pause_turn", "refusal", "context_exceeded", "unknown"]),
  /** The provider's word for the end, if `stop` is `unknown`. */
  stop_word: z.string().optional(),
})

export const mediaTypeSchema = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"])
/** The types of content besides text that a tool can return to a model. */
export type MediaType = z.infer<typeof mediaTypeSchema>

const mediaReferenceSchema = z.object({
  type: z.literal("media"),
  /** Names the content in its session. */
  id: z.string(),
  media_type: mediaTypeSchema,
  bytes: z.number().int().positive(),
  sha256: z.string(),
  /** Of an image, in pixels. */
  width: z.number().int().positive().optional(),
  height: z.number().int().positive().optional(),
  /** Of a PDF, if the file says it in a place that is cheap to read. */
  pages: z.number().int().positive().optional(),
})
/** An image or a PDF that a tool returned. Its bytes are in the store, and nowhere else. */
export type MediaReference = z.infer<typeof mediaReferenceSchema>

const toolMessageSchema = z.object({
  role: z.literal("tool"),
  call_id: z.string(),
  name: z.string(),
  outcome: toolOutcomeSchema,
  content: z.string(),
  /** What the call returned besides text; `content` has a line about each. Absent if there is nothing. */
  media: z.array(mediaReferenceSchema).optional(),
  /** Present if the call never ran although its outcome is `error`: an unknown tool, invalid arguments, a tool that this worker does not run. */
  executed: z.literal(false).optional(),
})

/** One row of a session's transcript, neutral between providers. One row per user message, model turn or tool result. */
export const messageSchema = z.discriminatedUnion("role", [
  userMessageSchema,
  assistantMessageSchema,
  toolMessageSchema,
])
export type Message = z.infer<typeof messageSchema>
export type AssistantMessage = Extract<Message, { role: "assistant" }>
export type ToolMessage = Extract<Message, { role: "tool" }>

/** A message as transcripts show it: every name in snake case. */
export const transcriptMessageSchema = z.discriminatedUnion("role", [
  userMessageSchema,
  assistantMessageSchema.extend({
    usage: z.object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_tokens: z.number(),
      cache_write_tokens: z.number(),
      reasoning_tokens: z.number(),
    }),
  }),
  toolMessageSchema,
])
export type TranscriptMessage = z.infer<typeof transcriptMessageSchema>
