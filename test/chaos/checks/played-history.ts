import { type Client, WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { openStore } from "../../../store/open-store.ts"
import type { History, Told } from "../../helpers/history/history.ts"
import { type AskEngine, readSessions } from "../../helpers/history/read-history.ts"
import type { PlayedItem } from "../load/play-item.ts"
import type { World } from "../world/world.ts"

/** Returns a function that asks the engine for the status of a session's last execution. */
export const askEngine =
  (temporal: Pick<Client, "workflow">): AskEngine =>
  async (sessionId) => {
    try {
      return (await temporal.workflow.getHandle(sessionWorkflowId(sessionId)).describe()).status.name
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return "unknown"
      throw error
    }
  }

/** What the load was told. */
const toldBy = (played: readonly PlayedItem[]): Told => ({
  messages: played.flatMap(({ sessionId, messages }) =>
    messages.map((text, index) => ({ sessionId, text, isSteering: index > 0 })),
  ),
  decisions: played.flatMap(({ sessionId, decision, decidedCalls }) =>
    decision === undefined ? [] : decidedCalls.map((callId) => ({ sessionId, callId, action: decision })),
  ),
  cancels: played.flatMap(({ sessionId, isCancelled }) => (isCancelled ? [{ sessionId }] : [])),
})

/** Returns what happened to the items of a load: as the load was told it, and from the ledger, the store and the engine. */
export const playedHistory = async (
  world: World,
  temporal: Pick<Client, "workflow">,
  played: readonly PlayedItem[],
): Promise<History> => {
  const sessionOf = new Map(played.map(({ id, sessionId }) => [id, sessionId]))
  const effects = (await world.ledger()).map((line) => {
    const [, item = "", turn] = /^(.*):(\d+)$/.exec(line) ?? []
    const sessionId = sessionOf.get(item)
    return sessionId === undefined ? { key: line } : { key: line, call: { sessionId, callId: `call_${turn}_1` } }
  })
  const store = await openStore(world.store)
  try {
    const ids = played.map(({ sessionId }) => sessionId)
    return { told: toldBy(played), effects, sessions: await readSessions(store, askEngine(temporal), ids) }
  } finally {
    await store.close()
  }
}
