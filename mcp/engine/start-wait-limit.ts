/** How long a call waits for the engine to start before it fails with `ENGINE_STARTING`. */
export interface StartWaitLimit {
  /** Milliseconds; undefined if the wait has no limit, because the client gets progress. */
  limitMs(call: { readonly getsProgress: boolean }): number | undefined
  /** Records that a client cancelled a call after this time. Later calls wait for less. */
  recordCancelled(afterMs: number): void
}

/** Later calls wait for this share of the time after which a client cancelled a call. */
const usedShare = 0.75

/** Creates a limit of `limitMs`, which should be less than a minute, the default timeout of clients. */
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
