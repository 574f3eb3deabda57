import { AsyncLocalStorage } from "node:async_hooks"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

const ends = new AsyncLocalStorage<number>()

/** Runs work whose writes to the store do not begin when the time has passed, and wait for no lock beyond it. A caller's own limit stays. */
export const withinTime = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  ends.run(Math.min(ends.getStore() ?? Infinity, performance.now() + limitMs), work)

/** Returns how much of its time the calling work has left; undefined if it has no limit. */
export const timeLeftMs = (): number | undefined => {
  const end = ends.getStore()
  return end === undefined ? undefined : end - performance.now()
}

/**
 * Refuses a write that could wait for a lock for longer than the time that is left: the next try of the same work would overlap with it.
 * @throws AdjutantError `storage_failed`
 */
export const requireTime = (neededMs: number, place: string): void => {
  const leftMs = timeLeftMs()
  if (leftMs !== undefined && leftMs < neededMs)
    throw new AdjutantError("storage_failed", `the session store ${place} took too long to answer: it is tried again`)
}

const works = new AsyncLocalStorage<true>()

/** Longest time of one statement of long work, in milliseconds. */
export const longStatementMs = 15 * 60_000

/** Runs work whose statements can take minutes on a large store: an upgrade of the schema, the erasure of a session. */
export const longWork = <T>(work: () => Promise<T>): Promise<T> => works.run(true, work)

export const isLong = (): boolean => works.getStore() === true
