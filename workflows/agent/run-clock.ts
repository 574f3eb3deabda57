import { CancellationScope, sleep } from "@temporalio/workflow"

/** Counts a run's running time and fires when it is used up. Stopped while the run waits. Workflow time. */
export interface RunClock {
  start(): void
  stop(): void
  /** Running time so far, in milliseconds. */
  ranMs(): number
}

export const createRunClock = (options: {
  /** Asked whenever the clock starts: an answer may shorten it. 0: no limit. */
  readonly limitMs: () => number
  readonly alreadyRanMs: number
  readonly onTimeout: () => void
}): RunClock => {
  let ranMs = options.alreadyRanMs
  let startedAt: number | undefined
  let timer: CancellationScope | undefined

  const startTimer = (remainingMs: number): void => {
    const scope = new CancellationScope({ cancellable: true })
    timer = scope
    void scope.run(() => sleep(Math.max(1, remainingMs))).then(options.onTimeout, () => undefined)
  }

  return {
    start() {
      if (startedAt !== undefined) return
      startedAt = Date.now()
      const limitMs = options.limitMs()
      if (limitMs > 0) startTimer(limitMs - ranMs)
    },
    stop() {
      if (startedAt === undefined) return
      ranMs += Date.now() - startedAt
      startedAt = undefined
      timer?.cancel()
      timer = undefined
    },
    ranMs: () => ranMs + (startedAt === undefined ? 0 : Date.now() - startedAt),
  }
}
