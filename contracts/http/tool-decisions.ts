import { z } from "zod"
import { callDecisionSchema, generalDecisionSchema, unlistedSchema } from "../approval/decision.ts"
import { pendingToolCallSchema } from "../approval/pause.ts"
import { idSchema } from "./http-ids.ts"

/** Decisions by call id. Calls that are not listed stay pending, unless `all` or `unlisted` decides them. */
export const toolDecisionsBodySchema = z
  .strictObject({
    /** Required without a `checkpoint_id`. */
    run_id: idSchema.optional(),
    checkpoint_id: idSchema
      .optional()
      .describe(
        "Of the session's pause, or the one of a tree's document: then calls are named `<task_id>/<call id>`, and `all` decides those that it showed.",
      ),
    decisions: z.record(idSchema, callDecisionSchema).optional(),
    all: generalDecisionSchema
      .optional()
      .describe(
        "Decides every pending call of the pause that `decisions` does not name. An approval leaves calls that change protected files or leave the sandbox pending: `protected_pending` of the answer names them.",
      ),
    /** What happens to pending calls that nothing else decides. */
    unlisted: unlistedSchema.default("pending"),
  })
  .refine((body) => body.run_id !== undefined || body.checkpoint_id !== undefined, {
    path: ["run_id"],
    message: "give run_id or checkpoint_id",
  })
  .refine(({ decisions = {}, all }) => all !== undefined || Object.keys(decisions).length > 0, {
    path: ["decisions"],
    message: "must name at least one call",
  })
export type ToolDecisionsBody = z.infer<typeof toolDecisionsBodySchema>

export const pendingToolsSchema = z.object({
  run_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  pending: z.array(
    pendingToolCallSchema.omit({ task_id: true }).extend({
      /** The session that proposed the call: the one of the path, or a descendant. */
      session_id: z.string(),
      checkpoint_id: z.string(),
    }),
  ),
})

/** `applied`: the run has applied it. `accepted`: it is stored durably and applied as soon as a worker is running. */
export const decisionsAnswerSchema = z.object({
  run_id: z.string(),
  state: z.enum(["applied", "accepted"]),
  protected_pending: z
    .array(z.string())
    .optional()
    .describe(
      "Calls that `all` left pending because they change protected files or leave the sandbox: approve each by its id. Absent if there is none.",
    ),
  counted: z
    .array(z.string())
    .optional()
    .describe(
      "For each call that was approved and needs the approval of further people: who is missing. Absent if there is none.",
    ),
  undecided: z
    .array(z.string())
    .optional()
    .describe(
      "Calls of a tree's checkpoint, as `<task_id>/<call id>`, that were not decided because their own pause has changed since. Absent if there is none.",
    ),
})
export type DecisionsAnswer = z.infer<typeof decisionsAnswerSchema>
