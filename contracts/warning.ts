import { z } from "zod"

/** What a person should know about a run that went on or ended all the same. */
export const warningSchema = z.object({
  code: z.enum(["no_answer", "prompt_cut", "unknown_end"]),
  message: z.string(),
})
export type Warning = z.infer<typeof warningSchema>
