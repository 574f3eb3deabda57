import type { NewEvent, Store, WritableStore } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { Outbox } from "../contract/agent-activities.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { closePause, showRunning } from "./close-pause.ts"

/** Writes what the workflow reports to the store. Ordinals make a repetition harmless. */
export const writeOutbox = (store: Pick<Store, "transaction">, scope: RunScope, outbox: Outbox): Promise<void> =>
  store.transaction((writes) => appendOutbox(writes, scope, outbox))

/** Writes an outbox inside a transaction, and after it the events of the activity itself. */
export const appendOutbox = async (
  store: WritableStore,
  scope: RunScope,
  outbox: Outbox,
  own: readonly NewEvent[] = [],
): Promise<void> => {
  if (outbox.closedCheckpoint !== undefined) await closePause(store, scope, outbox.closedCheckpoint)
  else if (outbox.leftQueue === true) await showRunning(store, scope)
  const events = [...outbox.events.map((event) => ({ ...event, runId: scope.runId })), ...own]
  if (events.length > 0) await store.events.append(scope.sessionId, events)
}

/** Returns true if an outbox changes no row: it can be shown while the activity runs, and be written with its result. */
export const isOnlyEvents = ({ closedCheckpoint, leftQueue }: Outbox): boolean =>
  closedCheckpoint === undefined && leftQueue !== true

/** Shows the events of an outbox to readers, soon. The activity writes what is left of them with its result. */
export const showOutbox = (
  { streamed }: Pick<AgentDependencies, "streamed">,
  { sessionId, runId }: RunScope,
  outbox: Outbox,
): void => {
  for (const event of outbox.events) streamed.add(sessionId, { ...event, runId })
}

/** Writes what is left of what a session shows: the workflow drops its outbox when the activity has returned. */
export const writeShown = async (
  { streamed, store }: Pick<AgentDependencies, "streamed" | "store">,
  sessionId: string,
): Promise<void> => {
  const events = await streamed.take(sessionId)
  if (events.length > 0) await store.transaction((writes) => writes.events.append(sessionId, events), "crash")
}
