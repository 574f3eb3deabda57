import type { Timing } from "../../contracts/config/timing.ts"

/**
 * How dead workers are found. `embedded`: the server is on this machine, so that heartbeats cost nothing, and a starting process finds dead workers by
 * their process ids. `cluster`: each heartbeat and each replay costs, and another machine takes over; see docs/decisions/0013.
 */
export type Liveness = NonNullable<Timing["liveness"]>

export interface LivenessProfile {
  /** An activity without a heartbeat for this long is given to another worker. */
  readonly heartbeatTimeoutMs: number
  readonly heartbeatEveryMs: number
  /**
   * How long the engine waits for the worker that executes a workflow task, and so how soon it detects a worker that died during one. Quick tools and the
   * workflow's own records run inside such tasks; a running worker that needs longer extends the task in time. Null: the engine's default of 10 s.
   */
  readonly workflowTaskTimeoutMs: number | null
}

/** In both profiles a process that stalls for 15 s loses no call. */
export const livenessProfiles: Readonly<Record<Liveness, LivenessProfile>> = {
  embedded: {
    heartbeatTimeoutMs: 20_000,
    heartbeatEveryMs: 1_000,
    workflowTaskTimeoutMs: 4_000,
  },
  cluster: {
    heartbeatTimeoutMs: 60_000,
    heartbeatEveryMs: 25_000,
    workflowTaskTimeoutMs: null,
  },
}

/** Returns how often an activity with this timeout sends a heartbeat: at least four times per timeout, unless its worker's profile has that timeout. */
export const heartbeatEveryMs = (timeoutMs: number): number => {
  const profile = Object.values(livenessProfiles).find((known) => known.heartbeatTimeoutMs === timeoutMs)
  return profile?.heartbeatEveryMs ?? Math.max(1, timeoutMs / 4)
}
