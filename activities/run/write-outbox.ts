import type { Store, WritableStore } from "../../store/store.ts"
import type { Outbox } from "../contract/agent-activities.ts"
import type { RunScope } from "../contract/run-scope.ts"

/** Tells the store what the workflow has to say. Ordinals make a repetition harmless. */
export const writeOutbox = (store: Pick<Store, "transaction">, scope: RunScope, outbox: Outbox): Promise<void> =>
  store.transaction((writes) => appendOutbox(writes, scope, outbox))

/** The same inside a transaction. */
export const appendOutbox = async (store: WritableStore, scope: RunScope, outbox: Outbox): Promise<void> => {
  if (outbox.closedCheckpoint !== undefined) await store.pauses.close(scope.sessionId, outbox.closedCheckpoint)
  if (outbox.closedCheckpoint !== undefined || outbox.leftQueue === true) {
    await store.runs.patch(scope.runId, { status: "running" })
    await store.sessions.patch(scope.sessionId, { status: "running" })
  }
  if (outbox.events.length === 0) return
  await store.events.append(
    scope.sessionId,
    outbox.events.map((event) => ({ ...event, runId: scope.runId })),
  )
}
