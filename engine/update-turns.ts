import type { TemporalClient } from "./temporal-client.ts"

/**
 * Updates of one client that may wait for the engine at the same time. Hundreds at once slow the server down until all of them time out, and each is
 * then sent as a signal as well.
 */
const maxAtOnce = 32

/** Ends a turn. */
type EndTurn = () => void

interface Turns {
  running: number
  /** Those who wait for a turn, in the order of their arrival. */
  readonly waiting: Set<() => void>
}

const turnsOf = new WeakMap<TemporalClient, Turns>()

const turnsFor = (temporal: TemporalClient): Turns => {
  const turns = turnsOf.get(temporal) ?? { running: 0, waiting: new Set() }
  turnsOf.set(temporal, turns)
  return turns
}

const begin = (turns: Turns): EndTurn => {
  turns.running += 1
  return () => {
    turns.running -= 1
    for (const next of [...turns.waiting].slice(0, 1)) next()
  }
}

/** Waits for a turn of an update, in the order of the callers. Returns how to end it; undefined if none comes in time. */
export const takeTurn = async (temporal: TemporalClient, timeoutMs: number): Promise<EndTurn | undefined> => {
  const turns = turnsFor(temporal)
  if (turns.running < maxAtOnce) return begin(turns)
  return await new Promise((resolve) => {
    const leave = (result: EndTurn | undefined): void => {
      turns.waiting.delete(enter)
      clearTimeout(timer)
      resolve(result)
    }
    const enter = (): void => leave(begin(turns))
    const timer = setTimeout(() => leave(undefined), timeoutMs)
    turns.waiting.add(enter)
  })
}
