import { z } from "zod"

/** Body of every answer with a status above 399. `error` is a message for people, `code` a code of the error table for programs. */
export const httpErrorSchema = z.object({ error: z.string(), code: z.string(), request_id: z.string() })
export type HttpErrorBody = z.infer<typeof httpErrorSchema>
