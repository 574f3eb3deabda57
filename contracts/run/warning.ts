import { z } from "zod"

/** What a person should know about a run that ended without an error. */
export const warningSchema = z.object({
  code: z.enum(["no_answer", "prompt_cut", "unknown_end"]),
  message: z.string(),
})
export type Warning = z.infer<typeof warningSchema>
