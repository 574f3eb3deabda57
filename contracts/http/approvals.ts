import { z } from "zod"
import { scopeSchema } from "../config/config-services.ts"
import { callDecisionSchema } from "../approval/decision.ts"
import { pauseTypeSchema, pendingToolCallSchema } from "../approval/pause.ts"
import { listOf } from "../session/session.ts"
import { idSchema } from "./http-ids.ts"

/** The pause of one session. */
export const approvalSchema = z.object({
  session_id: z.string(),
  session_key: z.string(),
  root_session_id: z.string(),
  run_id: z.string(),
  checkpoint_id: z.string(),
  type: pauseTypeSchema,
  agent: z.string(),
  title: z.string().nullable(),
  message: z.string(),
  pending: z.array(pendingToolCallSchema),
  opened_at: z.string(),
})
export const approvalListSchema = listOf(approvalSchema)
export const approvalsQuerySchema = z.strictObject({ root_session_id: idSchema.optional() })

/** Who sends a request, and what they may do. */
export const callerSchema = z.object({
  name: z.string(),
  scopes: z.array(scopeSchema).describe("`admin` includes all others, which are listed, too."),
})

export const approvalTokenParamsSchema = z.object({ token: z.string().min(1).max(2_000) })
export const openLinkQuerySchema = z.object({
  whole: z
    .enum(["true"])
    .optional()
    .describe("Shows each change whole, however long it is; without it, the beginning of a long one."),
})
export const openedLinkSchema = z.object({
  approval: approvalSchema,
  expires_at: z.string(),
  to: z.string().nullable().describe("Whose link it is."),
})

/** The approver's token, where `http.linksNeedToken` is set; a header `authorization` counts as well. */
const linkToken = z.string().min(1).max(1_000).optional()

const wholeDecisionBodySchema = z.strictObject({
  action: z.enum(["accept", "reject", "edit", "custom_result"]),
  content: z.string().max(65_536).optional(),
  token: linkToken,
  /** For `edit`, of a pause with one call: all of its new arguments. */
  arguments: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Decides the whole pause, or with `decisions` some of its calls: the link then stays valid for the others. `content` is the reason of a rejection, or the
 * result or answer of `custom_result`.
 */
export const linkDecisionBodySchema = z.union(
  [
    wholeDecisionBodySchema,
    z.strictObject({
      decisions: z
        .record(idSchema, callDecisionSchema)
        .refine((decisions) => Object.keys(decisions).length > 0, "must name at least one call"),
      token: linkToken,
    }),
  ],
  { error: "give action (accept, reject, edit or custom_result), or decisions" },
)

export const issueLinkBodySchema = z.strictObject({
  checkpoint_id: idSchema,
  /** Whose link it is, for the audit. */
  to: z.string().min(1).max(200).optional(),
  ttl_seconds: z.number().int().min(1).max(7_776_000).default(604_800),
})
export const issuedLinkSchema = z.object({ url: z.string(), token: z.string(), expires_at: z.string() })
