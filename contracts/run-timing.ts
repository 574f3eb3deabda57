import { z } from "zod"

const ms = z.number().int().positive()

/** Waits and limits of a run's activities, all configurable. Milliseconds. */
export const runTimingSchema = z.strictObject({
  /** A worker that is silent for so long is taken for dead. */
  heartbeatTimeoutMs: ms.default(4_000),
  heartbeatIntervalMs: ms.default(1_000),
  /** One model turn at most. */
  modelTimeoutMs: ms.default(30 * 60_000),
  /** Tries of one model turn before the run fails. */
  modelAttempts: z.number().int().positive().default(8),
  /** First wait after a provider's error that names none; doubles up to `modelRetryMaxMs`. */
  modelRetryBaseMs: ms.default(1_000),
  modelRetryMaxMs: ms.default(60_000),
  /** One tool call at most. */
  toolTimeoutMs: ms.default(15 * 60_000),
  /** How long an activity is offered to the worker of `adjutant run` before any other worker may take it, and back. */
  hostOfferMs: ms.default(5_000),
  /** 0: when the engine suggests it. */
  continueAsNewAfterEvents: z.number().int().nonnegative().default(0),
})
export type RunTiming = z.infer<typeof runTimingSchema>
