import { CancelledFailure } from "@temporalio/activity"

/** Limits how many bytes the work of a process has in memory at once. */
export interface ByteGate {
  /**
   * Runs work as soon as its bytes fit in addition to those of the work that runs, in the order of the calls. Work with more bytes than the limit runs alone.
   * @throws CancelledFailure if the signal aborts before the work has begun
   */
  hold<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly bytes: number
  readonly begin: () => void
}

export const createByteGate = (limit: number): ByteGate => {
  let held = 0
  const waiting: Waiting[] = []

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && held + next.bytes <= limit; next = waiting[0]) {
      waiting.shift()
      held += next.bytes
      next.begin()
    }
  }

  const enter = (bytes: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(entry), 1)
        admit()
        reject(new CancelledFailure("cancelled while it waited for memory"))
      }
      const entry: Waiting = {
        bytes,
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
    async hold(asked, signal, work) {
      const bytes = Math.min(asked, limit)
      if (bytes > 0) await enter(bytes, signal)
      try {
        return await work()
      } finally {
        held -= bytes
        admit()
      }
    },
  }
}
