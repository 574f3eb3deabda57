/** How long a call waits for a start before it is answered with an error that says how far the start is. */
export interface StartPatience {
  /** Undefined: for as long as the start takes, since the client hears of it meanwhile. */
  limitMs(call: { readonly hearsProgress: boolean }): number | undefined
  /** A client gave a call up that had waited for so long: the next ones are answered before that. */
  gaveUp(afterMs: number): void
}

/** Of the time after which a client stopped waiting, so much is used from then on. */
const usedShare = 0.75

/** Clients wait a minute by default; with `limitMs` below that, they get an answer. */
export const createStartPatience = (limitMs: number): StartPatience => {
  let shortestWaitMs: number | undefined
  return {
    limitMs: ({ hearsProgress }) => {
      if (shortestWaitMs !== undefined) return Math.min(limitMs, shortestWaitMs * usedShare)
      return hearsProgress ? undefined : limitMs
    },
    gaveUp: (afterMs) => {
      shortestWaitMs = Math.min(shortestWaitMs ?? Number.POSITIVE_INFINITY, afterMs)
    },
  }
}
