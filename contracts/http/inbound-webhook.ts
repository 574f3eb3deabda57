import { z } from "zod"
import { textSchema } from "../text-schemas.ts"
import { idSchema } from "./http-ids.ts"

const callIdsSchema = z.union([z.literal("all"), z.array(idSchema).min(1).max(200)])
const target = { task_id: idSchema, checkpoint_id: idSchema.optional() }

/** Body of a `standard` webhook. */
export const standardInboundSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("approve"), ...target, call_ids: callIdsSchema.optional() }),
  z.strictObject({
    action: z.literal("reject"),
    ...target,
    call_ids: callIdsSchema.optional(),
    reason: z.string().max(65_536).optional(),
  }),
  z.strictObject({ action: z.literal("input"), ...target, text: textSchema }),
  z.strictObject({ action: z.literal("steer"), ...target, text: textSchema }),
])

/** The JSON in a button's `value`. */
export const slackButtonSchema = z.strictObject({
  ...target,
  call_ids: callIdsSchema.optional(),
  action: z.enum(["approve", "reject"]),
})

/** The part of Slack's interaction payload that is used. */
export const slackPayloadSchema = z.object({
  type: z.string(),
  user: z.object({ id: z.string().min(1).max(200) }).optional(),
  response_url: z.string().max(2_000).optional(),
  message: z.object({ ts: z.string().regex(/^\d{1,12}(\.\d{1,9})?$/) }).optional(),
  actions: z.array(z.object({ value: z.string().max(10_000).optional() })).optional(),
})

/** The part of GitHub's `issue_comment` event that is used. */
export const githubCommentSchema = z.object({
  action: z.string(),
  repository: z.object({ full_name: z.string().max(300) }).optional(),
  comment: z.object({
    body: z.string(),
    created_at: z.iso.datetime({ offset: true }),
    user: z.object({ login: z.string().min(1).max(200) }),
  }),
})

export const inboundAnswerSchema = z.object({
  status: z.enum(["accepted", "ignored"]),
  reason: z.string().optional().describe("Why a webhook of GitHub is ignored."),
  task_id: z.string().optional(),
  run_id: z.string().optional(),
  protected_pending: z
    .array(z.string())
    .optional()
    .describe("Calls that an approval of all left pending because they change protected files or leave the sandbox."),
  undecided: z
    .array(z.string())
    .optional()
    .describe("Calls of a tree's checkpoint that were not decided because their own pause has changed since."),
})
export type InboundAnswer = z.infer<typeof inboundAnswerSchema>
