import { z } from "zod"
import { callDecisionSchema } from "../approval/decision.ts"
import { idSchema } from "./http-ids.ts"

export const targetParamsSchema = z.object({ target: idSchema })

const actionSchema = z.enum(callDecisionSchema.options.map(({ shape }) => shape.action.value))

/** The session that an id, a checkpoint id, a label or a session key names, and how it was named. */
export const targetSchema = z.object({
  session_id: z.string(),
  /** Set if the target is the id of a run. */
  run_id: z.string().nullable(),
  /** Set if the target is a checkpoint id. `decisions`: the decisions on its calls that took effect. */
  checkpoint: z
    .object({ id: z.string(), is_open: z.boolean(), decisions: z.record(z.string(), actionSchema) })
    .nullable(),
  /** Id of the session's newest event; 0 if there is none. */
  last_event_id: z.number().int(),
})
export type Target = z.infer<typeof targetSchema>
