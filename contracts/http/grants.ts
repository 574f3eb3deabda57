import { z } from "zod"
import { plainPattern } from "../text-schemas.ts"
import { listOf } from "../session/session.ts"

const maxGrantSeconds = 2_592_000
const maxPatterns = 20

const toolSchema = z.string().regex(/^[A-Za-z][\w.-]{0,199}$/, "must be the exact name of a tool")
const argumentSchema = z.string().min(1).max(200).regex(plainPattern, "must not contain control characters")
const patternSchema = z.string().min(1).max(1_000).regex(plainPattern, "must not contain control characters")

/** Patterns by argument. `*` as a name is the pattern of all arguments that have none. */
const patternsSchema = z
  .record(argumentSchema, patternSchema)
  .refine((patterns) => Object.keys(patterns).length <= maxPatterns, `has more than ${maxPatterns} arguments`)
  .describe("A pattern for each argument. The name `*` is the pattern of all other arguments.")

export const createGrantBodySchema = z.strictObject({
  tool: toolSchema.describe("The exact name of the tool."),
  arguments: patternsSchema,
  expires_in_seconds: z.number().int().min(1).max(maxGrantSeconds).default(3_600),
})
export type CreateGrantBody = z.infer<typeof createGrantBodySchema>

export const grantSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.string()),
  state: z.enum(["active", "expired", "revoked"]),
  created_by: z.string(),
  created_via: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  revoked_at: z.string().nullable(),
  revoked_by: z.string().nullable(),
})
export type Grant = z.infer<typeof grantSchema>

export const grantListSchema = listOf(grantSchema)
