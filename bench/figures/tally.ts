/** Counts what happens in this process. */
export interface Tally {
  add(): void
  total(): number
  /** Resolves when `count` more have been added since the call. */
  more(count: number): Promise<void>
}

export const createTally = (): Tally => {
  let total = 0
  const waiting = new Set<{ readonly until: number; readonly resolve: () => void }>()
  return {
    total: () => total,
    add() {
      total += 1
      for (const wait of waiting)
        if (total >= wait.until) {
          waiting.delete(wait)
          wait.resolve()
        }
    },
    more: (count) => new Promise((resolve) => waiting.add({ until: total + count, resolve })),
  }
}
