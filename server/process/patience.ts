/** A time limit that starts at the first check. */
export interface Patience {
  /** Starts the clock if it is not running. */
  isOver(): boolean
  /** Stops the clock. */
  reset(): void
}

export const createPatience = (limitMs: number, now: () => number = () => performance.now()): Patience => {
  let since: number | undefined
  return {
    isOver: () => {
      since ??= now()
      return now() - since > limitMs
    },
    reset: () => {
      since = undefined
    },
  }
}
