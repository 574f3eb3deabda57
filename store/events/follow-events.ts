import type { SessionEvent } from "../../contracts/event.ts"
import type { EventFeeds } from "./event-feeds.ts"

/** Yields events until the signal fires or the store is closed. Reads more only when the consumer asks for it. */
export async function* followEvents(
  feeds: EventFeeds,
  sessionId: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void> {
  const ended = (): boolean => signal.aborted || feeds.isClosed()
  if (ended()) return
  let position = after
  let wake = (): void => {}
  const onAbort = (): void => wake()
  signal.addEventListener("abort", onAbort)
  try {
    const feed = await feeds.join(sessionId)
    while (!ended()) {
      const seen = feed.generation
      const events = await feed.next(position)
      for (const event of events) {
        if (ended()) return
        position = event.id
        yield event
      }
      if (events.length > 0 || ended()) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const forget = feed.onChange(seen, resolve)
      await promise
      forget()
    }
  } catch (error) {
    if (!feeds.isClosed()) throw error
  } finally {
    signal.removeEventListener("abort", onAbort)
    feeds.leave(sessionId)
  }
}
