import type { NewEvent, Store, WritableStore } from "../../store/store.ts"
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
