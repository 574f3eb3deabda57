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
/** Long polls: each request waits at most this long. */
export const maxOutcomeWaitSeconds = 50

export const outcomeQuerySchema = z.strictObject({
  /** How long to wait for an outcome, in seconds. */
  wait_seconds: z.coerce.number().min(0).max(maxOutcomeWaitSeconds).default(0),
})

/** The events of all sessions. Without a cursor, the stream starts with the next new event. */
export const storeEventsQuerySchema = z.strictObject({
  after: cursor
    .optional()
    .describe("The last `id` of an earlier stream. Some events are sent again, none is left out."),
})

/** Sent by a browser when it reconnects; takes precedence over the query. */
export const eventsHeadersSchema = z.object({ "last-event-id": cursor.optional() })
