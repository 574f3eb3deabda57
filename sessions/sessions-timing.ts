import type { EngineTiming } from "../engine/engine-context.ts"

/** Waits and limits of the client, in milliseconds. Tests use small values. */
export interface ClientTiming extends EngineTiming {
  /** How long `cancel` waits for the session to be final. */
  readonly cancelWaitMs: number
  /** How often a wait asks Temporal and reads the rows, regardless of the event log. */
  readonly checkIntervalMs: number
  /** How long a wait tolerates that Temporal is unavailable. */
  readonly outageToleranceMs: number
  /** How long a run may exist in the store before the engine must know it. */
  readonly startGraceMs: number
  /** How long a session must remain missing before it is recorded as lost. */
  readonly missingConfirmMs: number
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
