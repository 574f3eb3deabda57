import { z } from "zod"

const cursor = z
  .string()
  .regex(/^\d{1,15}$/, "must be the id of an event")
  .transform(Number)
  .describe("The id of an event; the stream starts with the events after it.")

export const eventsQuerySchema = z.strictObject({
  after: cursor.optional(),
  /** Start at the end of the log instead of its beginning. */
  live: z.enum(["true", "false"]).optional(),
})
/** Sent by a browser when it reconnects; takes precedence over the query. */
export const eventsHeadersSchema = z.object({ "last-event-id": cursor.optional() })
