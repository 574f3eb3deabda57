/** Runs something once, after the first event and a time without further events. */
export interface WhenQuiet {
  happened(): void
  /** Prevents the run if it has not happened yet. */
  cancel(): void
}

/** Creates it. If `attempt` returns false, it is called again after the same time. */
export const whenQuiet = (quietMs: number, attempt: () => boolean): WhenQuiet => {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const wait = (): void => {
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(() => {
      isOver ||= attempt()
      wait()
    }, quietMs)
    timer.unref()
  }
  return {
    happened: wait,
    cancel: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
