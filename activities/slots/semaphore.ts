import { CancelledFailure } from "@temporalio/activity"

/** Limits how much work of a process runs at once, in calls or in bytes of memory. */
export interface Semaphore {
  /** Returns whether work of this amount would begin at once. */
  isFree(amount: number): boolean
  /**
   * Runs work as soon as its amount fits in addition to that of the work that runs, in the order of the calls. Work with more than the limit runs alone.
   * @throws CancelledFailure if the signal aborts before the work has begun
   */
  hold<T>(amount: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly amount: number
  readonly begin: () => void
}

export const createSemaphore = (limit: number): Semaphore => {
  let held = 0
  const waiting: Waiting[] = []

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && held + next.amount <= limit; next = waiting[0]) {
      waiting.shift()
      held += next.amount
      next.begin()
    }
  }

  const enter = (amount: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(entry), 1)
        admit()
        reject(new CancelledFailure("cancelled while it waited"))
      }
      const entry: Waiting = {
        amount,
        begin: () => {
          signal.removeEventListener("abort", leave)
          resolve()
        },
      }
      waiting.push(entry)
      if (signal.aborted) return leave()
      signal.addEventListener("abort", leave, { once: true })
      admit()
    })

  return {
    isFree: (amount) => amount <= 0 || (waiting.length === 0 && held + Math.min(amount, limit) <= limit),
    async hold(asked, signal, work) {
      const amount = Math.min(asked, limit)
      if (amount > 0) await enter(amount, signal)
      try {
        return await work()
      } finally {
        held -= amount
        admit()
      }
    },
  }
}
