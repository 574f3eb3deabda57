/** A session's place in its lane. Plain data: continue-as-new passes it on. */
export interface SlotState {
  readonly at: "none" | "waiting" | "held"
  /** Counts the requests of this execution. */
  readonly turn: number
  /** Position in the queue, from 1, as the lane last sent it. */
  readonly position: number | null
  /** The run that has worked before, and so comes back when it asks again. */
  readonly workedRun: string | null
  /** The store shows the session as pending until the next activity says that it runs. */
  readonly rowIsPending: boolean
}

export const noSlot: SlotState = { at: "none", turn: 0, position: null, workedRun: null, rowIsPending: false }
