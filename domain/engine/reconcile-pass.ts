/** What one pass of the reconciler consists of. A job that fails does not affect the others. */
export const reconcileJobs = ["outcomes", "orphans", "bindings", "archive", "erase", "deliveries", "retention"] as const

export type ReconcileJob = (typeof reconcileJobs)[number]

export interface ReconcileInput {
  /** Writes nothing, and lists what would be done. */
  readonly dryRun?: boolean
  /** Only these jobs; absent: all. */
  readonly jobs?: readonly ReconcileJob[]
}

/** Something that a pass would do. */
export interface PlannedAction {
  readonly job: ReconcileJob
  /** Of the session or of the delivery. */
  readonly id: string
  readonly action: string
}

/** What one pass of the reconciler did, in sessions. */
export interface ReconcilePass {
  readonly checked: number
  /** Outcomes that were recorded. */
  readonly mended: number
  /** Open sessions that the engine does not know and that nobody has accepted as lost. */
  readonly missing?: number
  /** Why nothing was ended: another engine answers, or too many sessions are missing. */
  readonly stopped?: "other_engine" | "too_many_missing" | null
  /** Children whose parent's run is gone, which were cancelled. */
  readonly orphans: number
  /** Children that look like orphans for the first time: a second pass decides. */
  readonly suspects?: number
  readonly archived: number
  readonly erased: number
  /** Tasks that were erased because they had ended long ago. */
  readonly pruned?: number
  /** Deliveries that no workflow was making. */
  readonly deliveries: number
  /** Jobs that failed; the next pass runs them again. */
  readonly failed?: readonly ReconcileJob[]
  /** Of a dry run: the first actions of all that it counted. */
  readonly planned?: readonly PlannedAction[]
}

/** The list enters history: actions beyond the limit are only counted. */
export const maxPlannedActions = 100
