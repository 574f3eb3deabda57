import { newestSessions, type RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { tolerated } from "../../domain/engine/missing-sessions.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { describeExecution } from "../../engine/describe-execution.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { lacksMarker } from "./engine-marker.ts"

/** Temporal keeps ended executions for a day at least. */
const keptMs = 12 * 3_600_000

/** What a store says of the engine that it belongs to. */
export interface ComparedRows {
  readonly storeId: string
  /** The newest sessions, archived ones included. */
  readonly newest: readonly SessionRow[]
}

/** Returns the rows to compare an engine with. */
export const rowsToCompare = async ({
  storeId,
  sessions,
}: Pick<Store, "storeId" | "sessions">): Promise<ComparedRows> => ({
  storeId,
  newest: (await sessions.list(newestSessions)).items,
})

/** Returns the newest sessions that a worker of the store's engine has executed, and that this engine must therefore know. */
const newestExecuted = (newest: readonly SessionRow[], { since }: RememberedEngine): readonly string[] => {
  const fromMs = Math.max(Date.parse(since), Date.now() - keptMs)
  return newest
    .filter(({ runId, status, createdAt }) => runId !== null && status !== "pending" && Date.parse(createdAt) > fromMs)
    .slice(0, tolerated + 1)
    .map(({ id }) => id)
}

/**
 * Returns true if the engine is an older copy of the store's: it was restored from a backup and has the same namespace id, but knows none of the
 * sessions that were executed last, or lacks a marker that the store requires. A single session that it does not know may have been deleted there.
 */
export const isOlderCopy = async (
  temporal: Pick<EngineClient, "workflow" | "schedule">,
  { storeId, newest }: ComparedRows,
  remembered: RememberedEngine,
): Promise<boolean> => {
  const sessionIds = newestExecuted(newest, remembered)
  if (sessionIds.length <= tolerated && remembered.marker === undefined) return false
  for (const sessionId of sessionIds) {
    const execution = await describeExecution(temporal, sessionWorkflowId(sessionId))
    if (execution?.status !== "not_found")
      return await lacksMarker(temporal, { storeId }, remembered, execution?.closedAtMs ?? undefined)
  }
  return sessionIds.length > tolerated || (await lacksMarker(temporal, { storeId }, remembered))
}
