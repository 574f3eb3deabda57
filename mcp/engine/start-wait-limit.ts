/** How long a call waits for the engine to start before it fails with `ENGINE_STARTING`. */
export interface StartWaitLimit {
  /** Undefined: without a limit, because the client gets progress meanwhile. */
  limitMs(call: { readonly getsProgress: boolean }): number | undefined
  /** Records that a client cancelled a call after this time; later calls wait for less. */
  recordCancelled(afterMs: number): void
}

/** Share of the time after which a client cancelled a call that later calls wait. */
const usedShare = 0.75

/** `limitMs` should be less than a minute, the default timeout of clients. */
export const createStartWaitLimit = (limitMs: number): StartWaitLimit => {
  let shortestWaitMs: number | undefined
  return {
    limitMs: ({ getsProgress }) => {
      if (shortestWaitMs !== undefined) return Math.min(limitMs, shortestWaitMs * usedShare)
      return getsProgress ? undefined : limitMs
    },
    recordCancelled: (afterMs) => {
      shortestWaitMs = Math.min(shortestWaitMs ?? Number.POSITIVE_INFINITY, afterMs)
    },
  }
}
