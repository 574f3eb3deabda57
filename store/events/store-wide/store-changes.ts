/** The changes of the event logs of all sessions. */
export interface StoreChanges {
  /** Increases with every change. A follower that notes it before reading misses nothing. */
  generation(): number
  /** Resolves as soon as the generation is no longer `seen`, or the signal of the watch has fired. */
  next(seen: number): Promise<void>
}

/** Creates the watchers of a store. `onLeft` is called when one has left. */
export const createStoreWatchers = (onLeft: () => void) => {
  const waiting = new Set<() => void>()
  let generation = 0
  let watching = 0

  const wake = (): void => {
    generation += 1
    const woken = [...waiting]
    waiting.clear()
    for (const each of woken) each()
  }

  const leave = (): void => {
    watching -= 1
    wake()
    onLeft()
  }

  return {
    get isUsed() {
      return watching > 0
    },
    /** Watches until the signal fires. */
    watch: (signal: AbortSignal): StoreChanges => {
      watching += 1
      if (signal.aborted) leave()
      else signal.addEventListener("abort", leave, { once: true })
      return {
        generation: () => generation,
        next: (seen) =>
          new Promise((resolve) => {
            if (seen !== generation || signal.aborted) resolve()
            else waiting.add(resolve)
          }),
      }
    },
    /** Reports a change to all watchers. */
    wake,
  }
}
