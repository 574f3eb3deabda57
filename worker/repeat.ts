/** Runs `look` again and again, `everyMs` after the last time ended. It never keeps the process alive. Returns what ends it. */
export const repeat = (look: () => Promise<void>, everyMs: number): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const lookLater = (): void => {
    if (isStopped) return
    timer = setTimeout(() => void look().finally(lookLater), everyMs)
    timer.unref()
  }
  lookLater()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
