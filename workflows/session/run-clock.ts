import { CancellationScope, patched, sleep } from "@temporalio/workflow"

/** Counts a run's running time and fires when it is used up. Stopped while the run waits. Workflow time. */
export interface RunClock {
  start(): void
  stop(): void
  /** Running time so far, in milliseconds. */
  ranMs(): number
}

/** The shortest time between two looks of a clock with a limit, and the most looks. */
const shortestLookMs = 60_000
const mostLooks = 20

export const createRunClock = (options: {
  /** Asked whenever the clock starts: an answer may shorten it. 0: no limit. */
  readonly limitMs: () => number
  readonly alreadyRanMs: number
  readonly onTimeout: () => void
}): RunClock => {
  let ranMs = options.alreadyRanMs
  let startedAt: number | undefined
  /** When the timer fires that runs. Later than that, the machine slept, or nobody worked. */
  let plannedMs = Number.POSITIVE_INFINITY
  let timer: CancellationScope | undefined

  const sinceStart = (): number => (startedAt === undefined ? 0 : Math.min(Date.now() - startedAt, plannedMs))

  const startTimer = (limitMs: number): void => {
    const remainingMs = Math.max(1, limitMs - ranMs)
    const lookMs = Math.max(shortestLookMs, limitMs / mostLooks)
    // Only where that changes something: the patch adds to the history.
    const isLong = remainingMs > lookMs && patched("clock-looks")
    const waitMs = isLong ? Math.ceil(lookMs) : remainingMs
    plannedMs = isLong || remainingMs <= lookMs ? waitMs : Number.POSITIVE_INFINITY
    const scope = new CancellationScope({ cancellable: true })
    timer = scope
    void scope.run(() => sleep(waitMs)).then(isLong ? look : options.onTimeout, () => undefined)
  }

  const look = (): void => {
    ranMs += sinceStart()
    startedAt = Date.now()
    startTimer(options.limitMs())
  }

  return {
    start() {
      if (startedAt !== undefined) return
      startedAt = Date.now()
      plannedMs = Number.POSITIVE_INFINITY
      const limitMs = options.limitMs()
      if (limitMs > 0) startTimer(limitMs)
    },
    stop() {
      if (startedAt === undefined) return
      ranMs += sinceStart()
      startedAt = undefined
      timer?.cancel()
      timer = undefined
    },
    ranMs: () => ranMs + sinceStart(),
  }
}
