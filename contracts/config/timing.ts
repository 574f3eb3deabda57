import { z } from "zod"

const ms = (fallback: number) => z.number().int().min(1).max(86_400_000).default(fallback)
const seconds = (fallback: number) => z.number().int().nonnegative().max(31_536_000).default(fallback)

/** Those that a run is started with: they are part of its snapshot and of its history. */
export const runTimingSchema = z.object({
  /** Tries of one model call, the first one included. */
  modelAttempts: z.number().int().min(1).max(100).default(8),
  /** First wait between two tries; it doubles up to `modelRetryMaxMs`. A provider's own `retry-after` takes precedence. */
  modelRetryInitialMs: ms(1_000),
  modelRetryMaxMs: ms(60_000),
  /** One try of a model call, from request to the end of its stream. */
  modelTimeoutMs: ms(900_000),
  /** One tool call; a tool's own, shorter limit (Bash's `timeout_ms`) takes precedence. */
  toolTimeoutMs: ms(1_800_000),
  /** A tool that says it is quick gets so long inside the workflow task before it is run as an activity of its own; 0: it is one at once. */
  quickToolMs: z.number().int().min(0).max(5_000).default(1_000),
  /** Bash without `timeout_ms`, and the most that `timeout_ms` may ask for. */
  bashTimeoutMs: ms(120_000),
  bashMaxTimeoutMs: ms(600_000),
  /** Between SIGTERM and SIGKILL of a process group. */
  killGraceMs: ms(5_000),
  /** Without a heartbeat for so long, a worker counts as dead and its activity is given to another one. */
  heartbeatTimeoutMs: ms(4_000),
  /** How long an activity is offered to the worker that a `run` brought before anyone may take it. */
  hostQueueTimeoutMs: ms(5_000),
  /** How long a client waits for an update's answer before it falls back to a signal. */
  updateDeadlineMs: ms(5_000),
  /** How long a worker that stops lets its calls in flight finish. */
  shutdownGraceMs: ms(30_000),
  /** A pause that nobody ends for so long ends the run as timed out; 0: it waits for ever. */
  pauseTimeoutSeconds: seconds(0),
  /** How often the lane looks whether those who have a slot are alive, while others queue. */
  laneCheckMs: ms(15_000),
  /** How often a session that queues asks for its slot again. */
  laneRetryMs: ms(60_000),
  /** After so long with nobody at work and nobody queued the lane ends; it starts again by itself. */
  laneIdleMs: ms(3_600_000),
  /** Tries of one delivery (webhook or channel), the first one included; with the defaults below about eight hours. */
  deliveryAttempts: z.number().int().min(1).max(1_000).default(40),
  /** First wait between two tries; it doubles up to `deliveryMaxMs`. A receiver's own `retry-after` takes precedence. */
  deliveryInitialMs: ms(5_000),
  deliveryMaxMs: ms(900_000),
  /** One try, from request to answer. */
  deliveryTimeoutMs: ms(15_000),
  /** Events of the engine's history after which a session goes on in a fresh execution; 0: when the engine suggests it. */
  continueAsNewAfterEvents: z.number().int().nonnegative().max(50_000).default(0),
})
export type RunTiming = z.infer<typeof runTimingSchema>

/** Waits and limits that an operator, or a test that must not sit through them, may set. Each has a default that suits production. */
export const timingSchema = z.strictObject({
  ...runTimingSchema.shape,
  /** How long a run may exist in the store before the engine must know it: a start that is on its way looks like one that is lost. */
  startGraceMs: z.number().int().min(0).max(86_400_000).default(30_000),
  /** How long after the engine was first found not to know a session it must still not know it, before the session counts as lost. */
  missingConfirmMs: z.number().int().min(0).max(86_400_000).default(60_000),
  /** How often a process compares the engine that answers with the one that its store belongs to. */
  engineCheckMs: ms(15_000),
  /** How long another engine may answer before a worker stops. */
  engineToleranceMs: ms(60_000),
})
export type Timing = z.infer<typeof timingSchema>
