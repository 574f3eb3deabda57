/** Closes what was opened, in reverse order. */
export interface Closers {
  /** Adds a function that closes something; after `closeAll` it is called at once. */
  add(close: () => Promise<void>): void
  /** Closes everything once. An error does not keep the others open; it is thrown at the end. */
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
      // Opened too late: it will not be used.
      else close().catch(() => undefined)
    },
    closeAll: () => (closing ??= closeInTurn()),
  }
}
