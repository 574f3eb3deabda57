import { z } from "zod"

/** Every answer above 399. `error` is a sentence for people, `code` one of the error table for programs. */
export const httpErrorSchema = z.object({ error: z.string(), code: z.string(), request_id: z.string() })
export type HttpErrorBody = z.infer<typeof httpErrorSchema>
