/** Does something once, when nothing has happened for a while after the first time that something did. */
export interface WhenQuiet {
  happened(): void
  /** Nothing is done any more. */
  cancel(): void
}

/** `attempt` answers false where it is too early; it is asked again after the same time. */
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
