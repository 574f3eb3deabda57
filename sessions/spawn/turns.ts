/** Runs work with the same name one after another. */
export type Turns = <T>(name: string, work: () => Promise<T>) => Promise<T>

export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = (before ?? Promise.resolve()).then(work, work)
    const settled = mine.catch(() => undefined)
    last.set(name, settled)
    try {
      return await mine
    } finally {
      if (last.get(name) === settled) last.delete(name)
    }
  }
}
