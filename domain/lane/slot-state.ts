/** Where a session stands with its lane. Plain data: it crosses over at continue-as-new. */
export interface SlotState {
  readonly at: "none" | "waiting" | "held"
  /** Counts the requests of this execution. */
  readonly turn: number
  /** Place in the queue, from 1, as the lane last told it. */
  readonly position: number | null
  /** The run that has worked before, and so comes back when it asks again. */
  readonly workedRun: string | null
  /** The store shows the session as pending until the next activity says that it runs. */
  readonly rowIsPending: boolean
}

export const noSlot: SlotState = { at: "none", turn: 0, position: null, workedRun: null, rowIsPending: false }
