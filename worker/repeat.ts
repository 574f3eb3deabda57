/** Runs `look` repeatedly, each time `everyMs` after the previous one ended, without keeping the process alive. Returns a function that stops it. */
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
