/** Which run of which session an activity works for. */
export interface RunScope {
  readonly sessionId: string
  readonly runId: string
  readonly snapshotHash: string
}
