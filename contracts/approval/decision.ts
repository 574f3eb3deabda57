import { z } from "zod"
import { runApprovalSchema } from "./run-policy.ts"

const forAny = [
  z.strictObject({
    action: z.literal("accept"),
    content: z.string().max(2_000).optional().describe("A note, which the agent reads with the result of the call."),
  }),
  z.strictObject({ action: z.literal("reject"), content: z.string().max(65_536).optional() }),
  z.strictObject({ action: z.literal("custom_result"), content: z.string().max(65_536) }),
] as const

/** A decision that can apply to several calls at once. */
export const generalDecisionSchema = z.discriminatedUnion("action", forAny)
export type GeneralDecision = z.infer<typeof generalDecisionSchema>

/** Approves a call with other arguments, which replace all of its own. */
const editDecisionSchema = z.strictObject({
  action: z.literal("edit"),
  arguments: z.record(z.string(), z.unknown()),
})

/** The decision of a person, or of a caller permitted to decide, on one proposed call. */
export const callDecisionSchema = z.discriminatedUnion("action", [...forAny, editDecisionSchema])
export type CallDecision = z.infer<typeof callDecisionSchema>

/** The same as it is sent to the workflow: programs store the arguments of an edit and send their id. */
const sentDecisionSchema = z.union([
  callDecisionSchema,
  z.strictObject({ action: z.literal("edit"), arguments_id: z.string().min(1).max(200) }),
])
export type SentDecision = z.infer<typeof sentDecisionSchema>

/** What happens to pending calls that a decision does not name: they stay pending, or they are rejected (CLI and MCP). */
export const unlistedSchema = z.enum(["pending", "reject"])

/** Decisions on one pause. `decision_id` makes a repeated delivery idempotent. */
export const decideSchema = z.strictObject({
  decision_id: z.string().min(1).max(200),
  run_id: z.string().optional(),
  checkpoint_id: z.string().optional(),
  decisions: z.record(z.string(), sentDecisionSchema),
  unlisted: unlistedSchema.default("pending"),
  /** Decides every pending call that `decisions` does not name. */
  all: generalDecisionSchema.optional(),
  /** Who decided and through which channel, for the audit. */
  by: z.string().max(200).optional(),
  via: z.string().max(50).optional(),
  /** The most that the approver can approve, if the model reads a text of theirs. The run continues with no more than that. */
  approval: runApprovalSchema.optional(),
  /** Proves that a program with this store sent it. `by` and `via` count only with a valid signature. */
  signature: z.string().max(200).optional(),
})
export type Decide = z.infer<typeof decideSchema>
export type DecideInput = z.input<typeof decideSchema>
