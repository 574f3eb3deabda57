import { z } from "zod"
import { callDecisionSchema } from "../approval/decision.ts"
import { idSchema } from "./http-ids.ts"

/** Decisions by call id. Calls that are not listed stay pending. */
export const toolDecisionsBodySchema = z.strictObject({
  run_id: idSchema,
  checkpoint_id: idSchema.optional(),
  decisions: z
    .record(idSchema, callDecisionSchema)
    .refine((value) => Object.keys(value).length > 0, "must name at least one call"),
})
export type ToolDecisionsBody = z.infer<typeof toolDecisionsBodySchema>

export const pendingToolsSchema = z.object({
  run_id: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
  pending: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      /** The session that proposed the call: the one of the path, or a descendant. */
      session_id: z.string(),
      checkpoint_id: z.string(),
    }),
  ),
})

/** `applied`: the run has applied it. `accepted`: it is stored durably and applied as soon as a worker is running. */
export const decisionsAnswerSchema = z.object({ run_id: z.string(), state: z.enum(["applied", "accepted"]) })
