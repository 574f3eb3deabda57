import { watch, type FSWatcher } from "node:fs"

/** A wait that ends early when something happens. */
export interface WakeUp {
  /** Ends the current wait, or the next one if there is none. */
  now(): void
  /** Resolves after this many milliseconds, at once after a change in the directory or a call of `now`, or when `stop` aborts. */
  wait(durationMs: number, stop: AbortSignal): Promise<void>
  /** False if the directory cannot be watched: then changes are found only by polling. */
  readonly isWatching: () => boolean
  close(): void
}

/** Returns waits that end early when an entry of the directory appears, changes or disappears. */
export const watchForWakeUps = (directory: string): WakeUp => {
  let isDue = false
  let endWait: (() => void) | undefined
  const now = (): void => {
    isDue = true
    endWait?.()
  }
  let watcher = watchDirectory(directory, now)
  watcher?.on("error", () => {
    watcher?.close()
    watcher = undefined
    now()
  })
  return {
    now,
    isWatching: () => watcher !== undefined,
    wait: async (durationMs, stop) => {
      if (!isDue && !stop.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const end = (): void => resolve()
        endWait = end
        const timer = setTimeout(end, durationMs)
        stop.addEventListener("abort", end, { once: true })
        await promise
        stop.removeEventListener("abort", end)
        clearTimeout(timer)
        endWait = undefined
      }
      isDue = false
    },
    close: () => watcher?.close(),
  }
}

/** Watches a directory; returns undefined if the system has no watches left or the file system does not support them. */
const watchDirectory = (directory: string, onChange: () => void): FSWatcher | undefined => {
  try {
    return watch(directory, { persistent: false }, onChange)
  } catch {
    return undefined
  }
}
