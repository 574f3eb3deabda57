/** A session's place in its lane. Plain data: continue-as-new passes it on. */
export interface SlotState {
  readonly at: "none" | "waiting" | "held"
  /** Counts the requests of this execution. */
  readonly turn: number
  /** Requests since it began to wait. */
  readonly requests: number
  /** The run that has had a slot before, and so resumes when it requests again. */
  readonly workedRun: string | null
  /** The store shows the session as pending until the next activity records that it is running. */
  readonly rowIsPending: boolean
}

export const noSlot: SlotState = { at: "none", turn: 0, requests: 0, workedRun: null, rowIsPending: false }
