import { z } from "zod"

/** What a person should know about a run, besides its error. */
export const warningSchema = z.object({
  code: z.enum(["children_cancelled", "no_answer", "prompt_cut", "sandbox_unavailable", "unknown_end"]),
  message: z.string(),
})
export type Warning = z.infer<typeof warningSchema>
