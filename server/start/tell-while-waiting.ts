/** Says at most every so often, and never at once, how long a wait has taken. Call it again and again while waiting. */
export const tellWhileWaiting = (
  everyMs: number,
  say: (elapsedMs: number) => void,
  now: () => number = () => performance.now(),
): (() => void) => {
  const startedAt = now()
  let told = 0
  return () => {
    const due = Math.floor((now() - startedAt) / everyMs)
    if (due <= told) return
    told = due
    say(now() - startedAt)
  }
}

/** Calls `tell` until the work has ended, for waits that cannot call it themselves. */
export const telling = async <T>(tell: () => void, work: Promise<T>): Promise<T> => {
  const timer = setInterval(tell, lookEveryMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}

const lookEveryMs = 100
