/** The session and run that an activity belongs to. */
export interface RunScope {
  readonly sessionId: string
  readonly runId: string
  readonly snapshotHash: string
  /** Since when the call has waited for a slot of a worker, ISO 8601 UTC. Absent: it has not. */
  readonly busySince?: string
}
