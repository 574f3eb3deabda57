import { setTimeout as delay } from "node:timers/promises"
import type { EventType } from "../../contracts/event.ts"
import type { SessionsContext } from "../sessions-context.ts"

const endings: ReadonlySet<EventType> = new Set(["run-paused", "run-finished", "child-finished"])

export interface Endings {
  /** Resolves true at the next ending, or false when the time is over. An ending since the last call counts. */
  next(timeoutMs: number): Promise<boolean>
}

/** Listens to a session's event log from now on, until the signal fires. Where the log cannot be followed, only time passes. */
export const followEndings = async (
  context: SessionsContext,
  sessionId: string,
  signal: AbortSignal,
): Promise<Endings> => {
  const { events } = context.store
  const { lastId } = await events.read(sessionId, { after: 0, limit: 1 })
  let nextEnding = Promise.withResolvers<void>()
  const follow = async (): Promise<void> => {
    try {
      for await (const event of events.follow(sessionId, { after: lastId, signal }))
        if (endings.has(event.type)) nextEnding.resolve()
    } catch (error) {
      if (!signal.aborted)
        context.logger.warn({ session_id: sessionId, error }, "the event log cannot be followed: checking at intervals")
    }
  }
  void follow()
  return {
    next: async (timeoutMs) => {
      const timer = new AbortController()
      const isOver = delay(timeoutMs, false, { signal: AbortSignal.any([timer.signal, signal]) }).catch(() => false)
      const hasEnded = await Promise.race([nextEnding.promise.then(() => true), isOver])
      timer.abort()
      if (hasEnded) nextEnding = Promise.withResolvers<void>()
      return hasEnded
    },
  }
}
