export interface ReconcileInput {
  /** Writes nothing, and counts only what would be ended. */
  readonly dryRun?: boolean
}

/** What one pass of the reconciler did, in sessions. */
export interface ReconcilePass {
  readonly checked: number
  /** Outcomes that were recorded. */
  readonly mended: number
  /** Open sessions that the engine does not know and that nobody has accepted as lost. */
  readonly missing?: number
  /** Sessions that were recorded as lost and live. */
  readonly reopened?: number
  /** Why nothing was ended: another engine answers, or too many sessions are missing. */
  readonly stopped?: "other_engine" | "too_many_missing" | null
  /** Children whose parent's run is gone, which were cancelled. */
  readonly orphans: number
  readonly archived: number
  readonly erased: number
  /** Deliveries that nobody was making. */
  readonly deliveries: number
}
