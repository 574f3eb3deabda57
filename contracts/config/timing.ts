import { z } from "zod"

const ms = (fallback: number) => z.number().int().min(1).max(86_400_000).default(fallback)
const seconds = (fallback: number) => z.number().int().nonnegative().max(31_536_000).default(fallback)

/** The timing with which a run is started: part of its snapshot and of its history. */
export const runTimingSchema = z.object({
  modelAttempts: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe("Attempts of one model call, including the first."),
  modelRetryInitialMs: ms(1_000).describe(
    "Wait before the second attempt of a model call; it doubles up to `modelRetryMaxMs`. The provider's `retry-after` takes precedence.",
  ),
  modelRetryMaxMs: ms(60_000).describe("Longest wait between two attempts of a model call."),
  modelRetryAfterMaxMs: ms(3_600_000).describe(
    "Longest wait that a provider's `retry-after` can cause between two attempts of a model call.",
  ),
  providerRetryInitialMs: ms(15_000).describe(
    "Wait of a run after the last attempt of a model call has failed, before it tries the call again; it doubles up to `providerRetryMaxMs`.",
  ),
  providerRetryMaxMs: ms(300_000).describe(
    "Longest wait between two tries of a run whose provider is unavailable, also if `retry-after` is longer.",
  ),
  providerPauseSeconds: z
    .number()
    .int()
    .nonnegative()
    .max(31_536_000)
    .optional()
    .describe(
      "How long a run waits for an unavailable provider before it fails. 0: it does not wait. Default: 600 while `adjutant run` follows the run, otherwise without limit.",
    ),
  modelTimeoutMs: ms(900_000).describe("Time limit of one attempt, from the request to the end of its stream."),
  toolTimeoutMs: ms(1_800_000).describe("Time limit of one tool call. A shorter limit of the tool takes precedence."),
  quickToolMs: z
    .number()
    .int()
    .min(0)
    .max(5_000)
    .default(1_000)
    .describe(
      "How long a quick tool can run inside the workflow task before it runs as a separate activity. 0: always as a separate activity.",
    ),
  bashTimeoutMs: ms(120_000).describe("Time limit of a Bash call without `timeout_ms`."),
  bashMaxTimeoutMs: ms(600_000).describe("Largest `timeout_ms` of a Bash call."),
  killGraceMs: ms(5_000).describe("Time between SIGTERM and SIGKILL of a process group."),
  heartbeatTimeoutMs: z
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      "Time without a heartbeat after which an activity is given to another worker. 0: as `liveness` says, which is 20 s for `embedded` and 60 s for `cluster`.",
    ),
  updateDeadlineMs: ms(5_000).describe("How long a client waits for the answer to an update before it sends a signal."),
  shutdownGraceMs: ms(30_000).describe("How long calls in flight can continue after a worker is told to stop."),
  pauseTimeoutSeconds: seconds(0).describe(
    "A pause without a decision for this long ends the run as timed out. 0: never.",
  ),
  laneCheckMs: ms(15_000).describe(
    "Interval at which the lane checks that the holders of its slots are alive, while sessions are queued.",
  ),
  laneRetryMs: ms(60_000).describe(
    "Wait before a queued session requests its slot again; it doubles up to eight times this value.",
  ),
  laneMaxSignals: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .describe("Grants of slots that the lane sends at once; it sends the others when these have arrived."),
  laneIdleMs: ms(3_600_000).describe(
    "Time without running or queued sessions after which the lane ends. It starts again when it is needed.",
  ),
  deliveryAttempts: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(40)
    .describe("Attempts of one delivery, including the first. The defaults give about eight hours."),
  deliveryInitialMs: ms(5_000).describe(
    "Wait before the second attempt of a delivery; it doubles up to `deliveryMaxMs`. The receiver's `retry-after` takes precedence.",
  ),
  deliveryMaxMs: ms(900_000).describe("Longest wait between two attempts of a delivery."),
  deliveryTimeoutMs: ms(15_000).describe("Time limit of one attempt, from the request to the response."),
  maxHistoryEvents: z
    .number()
    .int()
    .min(100)
    .max(45_000)
    .default(30_000)
    .describe(
      "Events in the workflow history from which a session with running sub-agents starts no sub-agents and makes no model calls: it waits for them and then continues as new. Temporal ends a workflow at 51,200 events.",
    ),
  continueAsNewAfterEvents: z
    .number()
    .int()
    .nonnegative()
    .max(50_000)
    .default(0)
    .describe("Events in the workflow history after which a session continues as new. 0: when Temporal suggests it."),
})
export type RunTiming = z.infer<typeof runTimingSchema>

/** Every wait, interval and retry. Those that `configuredTimingSchema` does not name are constants, which tests shorten. */
export const timingSchema = z.strictObject({
  ...runTimingSchema.shape,
  liveness: z
    .enum(["embedded", "cluster"])
    .optional()
    .describe(
      "How dead workers are found and how cancels reach calls. Default: `embedded` with a server that Adjutant started, `cluster` with any other one.",
    ),
  startGraceMs: z
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(30_000)
    .describe("How long a new run can be in the store before it counts as missing if Temporal does not know it."),
  missingConfirmMs: z
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(60_000)
    .describe(
      "Time between the first check that misses a session in Temporal and the one that confirms that it is lost.",
    ),
  reconcileSeconds: z
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(900)
    .describe(
      "Seconds between two passes of the reconciler. It also runs when a worker starts and within a minute after a session was terminated.",
    ),
  engineCheckMs: ms(15_000).describe(
    "Interval at which a process checks that Temporal is still the one to which its store belongs.",
  ),
})
export type Timing = z.infer<typeof timingSchema>

const configuredSchema = timingSchema.pick({
  modelAttempts: true,
  modelTimeoutMs: true,
  modelRetryInitialMs: true,
  modelRetryMaxMs: true,
  modelRetryAfterMaxMs: true,
  providerRetryInitialMs: true,
  providerRetryMaxMs: true,
  providerPauseSeconds: true,
  toolTimeoutMs: true,
  bashTimeoutMs: true,
  bashMaxTimeoutMs: true,
  shutdownGraceMs: true,
  pauseTimeoutSeconds: true,
  deliveryAttempts: true,
  deliveryTimeoutMs: true,
  laneRetryMs: true,
  laneCheckMs: true,
  continueAsNewAfterEvents: true,
  liveness: true,
})
export type ConfiguredTiming = z.infer<typeof configuredSchema>

const constants = timingSchema.parse({})

/** `timing` of the configuration: what an operator can set, completed by the constants. */
export const configuredTimingSchema = configuredSchema.transform((timing): Timing => ({ ...constants, ...timing }))
