/** The session and run that an activity belongs to. */
export interface RunScope {
  readonly sessionId: string
  readonly runId: string
  readonly snapshotHash: string
}
