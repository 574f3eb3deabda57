/** Returns a function to call repeatedly during a wait. It reports the duration of the wait, at most once per interval and not at the start. */
export const reportWait = (
  everyMs: number,
  report: (elapsedMs: number) => void,
  now: () => number = () => performance.now(),
): (() => void) => {
  const startedAt = now()
  let reported = 0
  return () => {
    const due = Math.floor((now() - startedAt) / everyMs)
    if (due <= reported) return
    reported = due
    report(now() - startedAt)
  }
}

const lookEveryMs = 100

/** Awaits the work and calls `report` until it has ended. */
export const reportDuring = async <T>(report: () => void, work: Promise<T>): Promise<T> => {
  const timer = setInterval(report, lookEveryMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
