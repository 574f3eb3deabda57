import { z } from "zod"
import { listOf } from "../session/session.ts"
import { idSchema } from "./http-ids.ts"
import { timeSchema } from "../text-schemas.ts"

/** Whether a person, a program (a token, a signature, a client of Temporal) or a model acted. */
export const actorKindSchema = z.enum(["person", "program", "model"])
export type ActorKind = z.infer<typeof actorKindSchema>

/** One entry of the audit log. */
export const auditEntrySchema = z.object({
  id: z.number().int(),
  at: z.string(),
  session_id: z.string(),
  run_id: z.string().nullable(),
  action: z.string(),
  by: z.string().describe("Who did it: a user, a token, an MCP client, the writer of a comment, or agent:<session>."),
  via: z
    .string()
    .describe("Through which channel: cli, http, mcp, link, webhook:<name>, channel:<name>, parent, temporal, …"),
  actor: actorKindSchema.describe(
    "person, program or model. An answer in a form of an MCP client counts as a person's because the client says so.",
  ),
  hash: z
    .string()
    .nullable()
    .describe(
      "SHA-256 of what was decided on: the decided calls with their arguments and files, or the settings of the run that was started.",
    ),
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

export const auditQuerySchema = z.strictObject({
  session_id: idSchema.optional().describe("Only entries about this session."),
  from: timeSchema.optional().describe("Only entries from this time on: ISO 8601, a date or a time with its zone."),
  to: timeSchema.optional().describe("Only entries before this time."),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** The `next_cursor` of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

export const auditListSchema = listOf(auditEntrySchema)
