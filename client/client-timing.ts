/** Waits and limits of the client; a test sets them small. Milliseconds. */
export interface ClientTiming {
  /** How long an update may take before its signal is sent instead. */
  readonly updateTimeoutMs: number
  /** How long one request to Temporal may take, retries included. */
  readonly engineTimeoutMs: number
  /** How long `cancel` waits for the session to be final. */
  readonly cancelWaitMs: number
  /** How often a wait asks Temporal and looks at the rows, whatever the event log says. */
  readonly checkIntervalMs: number
  /** How long a wait outlasts a Temporal that is away. */
  readonly outageToleranceMs: number
  /** How long a run may exist in the store before the engine must know it. */
  readonly startGraceMs: number
  /** How long after a session was first not found it must still not be found before it counts as lost. */
  readonly missingConfirmMs: number
  /** How long after its last poll a worker counts as alive: a long poll lasts a minute. */
  readonly workerSeenMs: number
}

export const defaultClientTiming: ClientTiming = {
  updateTimeoutMs: 5_000,
  engineTimeoutMs: 10_000,
  cancelWaitMs: 10_000,
  checkIntervalMs: 2_000,
  outageToleranceMs: 120_000,
  startGraceMs: 30_000,
  missingConfirmMs: 60_000,
  workerSeenMs: 70_000,
}
