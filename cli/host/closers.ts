/** What has to be closed, last opened first. */
export interface Closers {
  /** What is added after `closeAll` is closed at once. */
  add(close: () => Promise<void>): void
  /** Closes all of it, once; an error of one keeps none of the others open, and is thrown at the end. */
  closeAll(): Promise<void>
}

export const createClosers = (): Closers => {
  const open: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const closeInTurn = async (): Promise<void> => {
    const errors: unknown[] = []
    for (let close = open.pop(); close !== undefined; close = open.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  return {
    add: (close) => {
      if (closing === undefined) open.push(close)
      // Opened too late: nobody will use it.
      else close().catch(() => undefined)
    },
    closeAll: () => (closing ??= closeInTurn()),
  }
}
