import type { RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { tolerated } from "../../domain/engine/missing-sessions.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { knowsSession } from "../../engine/describe-execution.ts"
import type { Store } from "../../store/store.ts"

/** Temporal keeps ended executions for a day at least. */
const keptMs = 12 * 3_600_000

const pageSize = 50

/** Returns the newest sessions that a worker of the store's engine has executed, and that this engine must therefore know. */
const newestExecuted = async (
  store: Pick<Store, "sessions">,
  { since }: RememberedEngine,
): Promise<readonly string[]> => {
  const fromMs = Math.max(Date.parse(since), Date.now() - keptMs)
  const { items } = await store.sessions.list({ includeArchived: true, limit: pageSize })
  return items
    .filter(({ runId, status, createdAt }) => runId !== null && status !== "pending" && Date.parse(createdAt) > fromMs)
    .slice(0, tolerated + 1)
    .map(({ id }) => id)
}

/**
 * Returns true if the engine is an older copy of the store's: it was restored from a backup, and has the same namespace id, but none of the sessions that
 * were executed last. With fewer sessions than that it cannot be told, and each of them is treated as missing.
 */
export const isOlderCopy = async (
  temporal: Pick<EngineClient, "workflow">,
  store: Pick<Store, "sessions">,
  remembered: RememberedEngine,
): Promise<boolean> => {
  const sessionIds = await newestExecuted(store, remembered)
  if (sessionIds.length <= tolerated) return false
  for (const sessionId of sessionIds) if (await knowsSession(temporal, sessionId)) return false
  return true
}
