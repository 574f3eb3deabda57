import type { EngineTiming } from "../engine/engine-context.ts"

/** Waits and limits of the client; a test sets them small. Milliseconds. */
export interface ClientTiming extends EngineTiming {
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
