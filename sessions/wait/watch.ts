import type { SessionEvent } from "../../contracts/event.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"

/** Yields a session's events after the id `after`, until the signal fires. */
export async function* watch(
  context: SessionsContext,
  sessionId: string,
  options: { readonly after?: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  await requireSession(context.store, sessionId)
  yield* context.store.events.follow(sessionId, { after: options.after ?? 0, signal: options.signal })
}
