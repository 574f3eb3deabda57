import { setTimeout as delay } from "node:timers/promises"
import type { EventType } from "../../contracts/event.ts"
import type { SessionsContext } from "../sessions-context.ts"

const stopEvents: ReadonlySet<EventType> = new Set(["run-paused", "run-finished", "child-finished"])

/** The events by which a session, or one below it, stops: it pauses or ends. */
export interface Stops {
  /** Resolves to true at the next stop, or to false after the timeout. A stop since the last call counts. */
  next(timeoutMs: number): Promise<boolean>
}

/** Follows a session's event log from now on, until the signal fires. If the log cannot be followed, every wait times out. */
export const followStops = async (context: SessionsContext, sessionId: string, signal: AbortSignal): Promise<Stops> => {
  const { events } = context.store
  const { lastId } = await events.read(sessionId, { after: 0, limit: 1 })
  let nextStop = Promise.withResolvers<void>()
  const follow = async (): Promise<void> => {
    try {
      for await (const event of events.follow(sessionId, { after: lastId, signal }))
        if (stopEvents.has(event.type)) nextStop.resolve()
    } catch (error) {
      if (!signal.aborted)
        context.logger.warn(
          { session_id: sessionId, error },
          "the event log cannot be followed; checking at intervals instead",
        )
    }
  }
  void follow()
  return {
    next: async (timeoutMs) => {
      const timer = new AbortController()
      const timeout = delay(timeoutMs, false, { signal: AbortSignal.any([timer.signal, signal]) }).catch(() => false)
      const hasStopped = await Promise.race([nextStop.promise.then(() => true), timeout])
      timer.abort()
      if (hasStopped) nextStop = Promise.withResolvers<void>()
      return hasStopped
    },
  }
}
