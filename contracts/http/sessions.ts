import { z } from "zod"
import { plainPattern, textSchema } from "../text-schemas.ts"
import { modelNameSchema, profileNameSchema } from "../names.ts"
import { transcriptMessageSchema } from "../message.ts"
import { listOf, sessionSchema } from "../session/session.ts"
import { statusSchema } from "../status.ts"
import { idSchema, pathSchema, titleSchema } from "./http-ids.ts"

const maxMetadataBytes = 16_384

const metadataSchema = z
  .record(z.string().max(200), z.unknown())
  .refine((value) => JSON.stringify(value).length <= maxMetadataBytes, "must be at most 16 KB of JSON")

export const createSessionBodySchema = z.strictObject({
  title: titleSchema.optional(),
  /** A name under which the session can be found. */
  label: titleSchema.optional(),
  /** Absolute path (default: the project root). */
  cwd: pathSchema.optional(),
  agent: profileNameSchema.optional(),
  model: modelNameSchema.optional(),
  parent_session_id: idSchema.optional(),
  metadata: metadataSchema.optional(),
})
export type CreateSessionBody = z.infer<typeof createSessionBodySchema>

const limit = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback)

const soughtSchema = z.string().min(1).max(200).regex(plainPattern, "must not contain control characters")

export const listSessionsQuerySchema = z.strictObject({
  parent_session_id: idSchema.optional(),
  root_session_id: idSchema.optional(),
  status: statusSchema.optional(),
  agent: profileNameSchema.optional(),
  archived: z
    .enum(["true", "false"])
    .optional()
    .describe("`true`: only archived sessions, which lists otherwise omit."),
  q: soughtSchema
    .optional()
    .describe("Only sessions whose title, label or id contains this text, in upper or lower case."),
  limit: limit(50, 200),
  cursor: z.string().min(1).max(200).optional(),
})

export const sessionListSchema = listOf(sessionSchema).extend({
  counts: z
    .record(statusSchema, z.number().int().nonnegative())
    .describe("Number of sessions by status that match the query without its `status`."),
})

export const searchQuerySchema = z.strictObject({
  q: soughtSchema.describe(
    "What to find, in upper or lower case: in titles, labels and ids, in transcripts, in the arguments of calls and their results, and in the names of changed files.",
  ),
  limit: limit(30, 100),
})

/** A place where a text was found. */
export const searchHitSchema = z.object({
  session_id: z.string(),
  agent: z.string(),
  title: z.string().nullable(),
  label: z.string().nullable(),
  status: statusSchema,
  kind: z
    .enum(["name", "file", "text", "call", "result"])
    .describe(
      "`name`: title, label or id. `file`: a file that the session changed. `text`: a message. `call`: the arguments of a call. `result`: what a call returned.",
    ),
  seq: z.number().int().nullable().describe("The row of the transcript; null for `name` and `file`."),
  call_id: z.string().nullable(),
  tool: z.string().nullable(),
  excerpt: z.string().describe("One line with the text, and what is around it."),
  at: z.string(),
})
export type SearchHit = z.infer<typeof searchHitSchema>

export const searchAnswerSchema = listOf(searchHitSchema).extend({
  is_complete: z
    .boolean()
    .describe("False if older sessions were not looked at: a longer text finds less, and looks further."),
})
export type SearchAnswer = z.infer<typeof searchAnswerSchema>

/** A session with its descendants as a tree; children are sorted oldest first. */
export const sessionTreeSchema = sessionSchema
  .extend({ children: z.array(z.looseObject(sessionSchema.shape)) })
  .describe("A session. Its children have the same shape, including their children.")

export type SessionTreeBody = z.infer<typeof sessionTreeSchema>

export const transcriptQuerySchema = z.strictObject({
  limit: limit(200, 1_000),
  /** The `next_cursor` of the previous page, or the `follow_cursor` of the last one. */
  cursor: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).optional(),
})

export const transcriptRowSchema = z.object({
  seq: z.number().int(),
  run_id: z.string(),
  step: z.number().int(),
  at: z.string(),
  message: transcriptMessageSchema,
})
export type TranscriptRowBody = z.infer<typeof transcriptRowSchema>
export const transcriptSchema = listOf(transcriptRowSchema).extend({
  follow_cursor: z
    .string()
    .optional()
    .describe(
      "While the session runs: the cursor with which the next rows are read. It is before the last row where the result of a call that still runs has its place, so that no row is missed; rows that are known already come again. If several pages were read, the smallest one counts.",
    ),
})

export const forkBodySchema = z.strictObject({
  /** Number of steps, counted over the whole session, with which the new session starts. */
  at_step: z.number().int().nonnegative().max(1_000_000),
  /** First message of the new session. */
  message: textSchema.optional(),
})

export const setModelBodySchema = z.strictObject({ model: modelNameSchema })
export const modelAnswerSchema = z.object({ run_id: z.string().nullable(), model: z.string() })

export const retryAnswerSchema = z.object({ session_id: z.string(), status: statusSchema })

export const cancelBodySchema = z.strictObject({ run_id: idSchema.optional() }).nullish()
export const cancelAnswerSchema = z.object({ session_id: z.string(), status: statusSchema })
