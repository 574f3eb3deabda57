/** How long something is waited for; the time runs from the first look. */
export interface Patience {
  /** Starts the clock where it does not run. */
  isOver(): boolean
  /** Stops the clock: what was waited for is no longer. */
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
