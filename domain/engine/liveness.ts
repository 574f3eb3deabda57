import type { Timing } from "../../contracts/config/timing.ts"

/**
 * How dead workers are found. `embedded`: the server is on this machine, so that heartbeats cost nothing, and a starting process finds dead workers by
 * their process ids. `cluster`: each heartbeat and each replay costs, and another machine takes over; see docs/decisions/0013.
 */
export type Liveness = NonNullable<Timing["liveness"]>

export interface LivenessProfile {
  /** Without a heartbeat for so long, an activity is given to another worker. */
  readonly heartbeatTimeoutMs: number
  readonly heartbeatEveryMs: number
  /**
   * How long the engine waits for a worker that holds a session's workflow task, which is how soon it notices that the worker died there: quick tools
   * and the workflow's own records run inside it. A worker that lives and needs longer says so in time by itself. Null: the engine's default of 10 s.
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
