import { z } from "zod"
import { plainPattern } from "./text-schemas.ts"

/** An id as others send it: of a session, a run, a checkpoint, a call. What is no such id is not found. */
export const idSchema = z.string().min(1).max(200).regex(plainPattern, "must hold no control characters")
/** One line that people read. */
export const titleSchema = z.string().min(1).max(500).regex(plainPattern, "must be one line")
export const pathSchema = z.string().min(1).max(4_096).regex(plainPattern, "must hold no control characters")

export const sessionParamsSchema = z.object({ id: idSchema })
