/** Runs something once, when nothing has happened for a while after the first time that something did. */
export interface WhenQuiet {
  happened(): void
  /** Nothing is run any more. */
  cancel(): void
}

export const whenQuiet = (quietMs: number, run: () => void): WhenQuiet => {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  return {
    happened: () => {
      if (isOver) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        isOver = true
        run()
      }, quietMs)
      timer.unref()
    },
    cancel: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
