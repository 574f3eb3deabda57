import { z } from "zod"

/** What the server answers to a new session and its first message. */
export const startedRunSchema = z.object({ session_id: z.string(), run_id: z.string() })
