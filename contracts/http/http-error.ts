import { z } from "zod"
import { errorSubjects } from "../error-reason.ts"

/** Body of every answer with a status above 399. `error` is a message for people, `code` a code of the error table for programs. */
export const httpErrorSchema = z.object({
  error: z.string(),
  code: z.string(),
  request_id: z.string(),
  /** What the advice at the end of the message is about. */
  reason: z.object({ about: z.enum(errorSubjects), task_id: z.string().optional() }).optional(),
})
export type HttpErrorBody = z.infer<typeof httpErrorSchema>
