import { z } from "zod"

/** `Task` (seed 001). Texts are checked by hand where the answer must be the tool's own envelope. */
export const taskInputSchema = z.strictObject({
  description: z.string().min(1).describe("What the task is, in a few words"),
  prompt: z.string().min(1).describe("Everything the sub-agent has to know: it sees nothing of this conversation"),
  subagent_type: z.enum(["general", "explore", "summary", "plan"]).describe("The sub-agent's role"),
  model: z
    .enum(["main", "light"])
    .optional()
    .describe("light for look-ups and summaries, main for reasoning and plans; left out: what suits the role"),
})
export type TaskInput = z.infer<typeof taskInputSchema>
