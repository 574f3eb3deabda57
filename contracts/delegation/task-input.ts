import { z } from "zod"
import { saidSchema } from "../text-schemas.ts"

const roles = ["general", "explore", "summary", "plan"] as const

/** Arguments of `Task`. Empty texts are rejected by its handler, since the answer must be the tool's own envelope. */
export const taskInputSchema = z.strictObject({
  description: saidSchema.describe("What the task is, in a few words"),
  prompt: saidSchema.describe("Everything that the sub-agent must know: it does not see this conversation"),
  // Accepted in any case; the published schema lists the lower-case names.
  subagent_type: z
    .string()
    .toLowerCase()
    .pipe(z.enum(roles))
    .meta({ enum: [...roles], description: "The sub-agent's role" }),
  model: z
    .enum(["main", "light"])
    .optional()
    .describe("light for look-ups and summaries, main for reasoning and plans (default: depends on the role)"),
})
export type TaskInput = z.infer<typeof taskInputSchema>
