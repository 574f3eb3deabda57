/** A queue in which every owner has at most one item in work, and owners take turns. */
export interface FairQueue<T> {
  /** Returns false if too much is waiting already; `isPatient` items always get in. */
  add(owner: string, item: T, isPatient: boolean): boolean
  /** Takes the next item out, of the owner whose last turn is longest ago. The owner has no other turn until `done`. */
  take(): { readonly owner: string; readonly item: T } | undefined
  done(owner: string): void
  /** Removes an item that no longer waits. Returns false if it is not in the queue. */
  remove(owner: string, item: T): boolean
}

export interface QueueLimits {
  readonly waiting: number
  readonly waitingPerOwner: number
}

export const createFairQueue = <T>({ waiting: most, waitingPerOwner }: QueueLimits): FairQueue<T> => {
  /** The items of each owner; the first owner is the next. */
  const waiting = new Map<string, T[]>()
  const inWork = new Set<string>()
  let count = 0

  const put = (owner: string, items: T[]): void => {
    if (items.length === 0) waiting.delete(owner)
    else waiting.set(owner, items)
  }

  return {
    add(owner, item, isPatient) {
      const own = waiting.get(owner) ?? []
      if (!isPatient && (count >= most || own.length >= waitingPerOwner)) return false
      count += 1
      put(owner, [...own, item])
      return true
    },
    take() {
      for (const [owner, [item, ...rest]] of waiting) {
        if (item === undefined || inWork.has(owner)) continue
        // The owner's next turn comes after those of all others.
        waiting.delete(owner)
        put(owner, rest)
        inWork.add(owner)
        count -= 1
        return { owner, item }
      }
      return undefined
    },
    done: (owner) => void inWork.delete(owner),
    remove(owner, item) {
      const own = waiting.get(owner) ?? []
      const rest = own.filter((each) => each !== item)
      put(owner, rest)
      count -= own.length - rest.length
      return rest.length < own.length
    },
  }
}
