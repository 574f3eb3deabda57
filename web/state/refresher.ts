import { repeated } from "./connection.ts"

export interface Refresher {
  /** Reads again, after a read that is under way. */
  now(): Promise<void>
  /** Reads again soon, once for everything that happens until then. */
  soon(): void
}

const pauseMs = 250

/** Reads something again and again, never twice at the same time, and shows when that fails. It is then tried again. */
export const refresher = (who: string, read: () => Promise<void>): Refresher => {
  const connection = repeated(who)
  let last = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  const now = (): Promise<void> => {
    last = last.then(read).then(connection.works, (error: unknown) => {
      connection.failed(error)
      timer ??= setTimeout(run, 2_000)
    })
    return last
  }
  const run = (): void => {
    timer = undefined
    void now()
  }
  return {
    now,
    soon: () => {
      timer ??= setTimeout(run, pauseMs)
    },
  }
}
