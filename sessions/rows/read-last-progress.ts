import type { Store } from "../../store/store.ts"

/** Number of events that are searched for the last progress. */
const searchedEvents = 50

/** Returns what the call of a run without a model reported last; empty if it reported nothing. */
export const readLastProgress = async (
  store: Pick<Store, "events">,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<string> => {
  const { lastId } = await store.events.read(sessionId, { after: 0, limit: 1 })
  const { events } = await store.events.read(sessionId, {
    after: Math.max(0, lastId - searchedEvents),
    limit: searchedEvents,
  })
  const last = events.findLast((event) => event.type === "tool-progressed" && event.run_id === runId)
  const message: unknown = last?.["message"]
  return typeof message === "string" ? message : ""
}
