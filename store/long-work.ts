import { AsyncLocalStorage } from "node:async_hooks"

const works = new AsyncLocalStorage<true>()

/** Longest time of one statement of long work, in milliseconds. */
export const longStatementMs = 15 * 60_000

/** Runs work whose statements can take minutes on a large store: an upgrade of the schema, the erasure of a session. */
export const longWork = <T>(work: () => Promise<T>): Promise<T> => works.run(true, work)

export const isLong = (): boolean => works.getStore() === true
