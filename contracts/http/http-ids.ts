import { z } from "zod"
import { plainPattern } from "../text-schemas.ts"

/** An id of a session, a run, a checkpoint or a call, as clients send it. An id with another form is reported as not found. */
export const idSchema = z.string().min(1).max(200).regex(plainPattern, "must not contain control characters")
/** A text of one line for people. */
export const titleSchema = z.string().min(1).max(500).regex(plainPattern, "must be one line")
export const pathSchema = z.string().min(1).max(4_096).regex(plainPattern, "must not contain control characters")

/** The body of a request that says everything with its address: none, or an empty object. */
export const emptyBodySchema = z.strictObject({}).nullish()

export const sessionParamsSchema = z.object({ id: idSchema })

export const callParamsSchema = sessionParamsSchema.extend({ call_id: idSchema })

export const mediaParamsSchema = sessionParamsSchema.extend({ media_id: idSchema })

export const messageParamsSchema = sessionParamsSchema.extend({ message_id: idSchema })
