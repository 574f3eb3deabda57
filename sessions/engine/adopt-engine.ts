import { type EngineIdentity, type RememberedEngine, unknownEngine } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { countKnown } from "../../engine/describe-execution.ts"
import { ensureReconcileSchedule, scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"

/** Number of sessions, the newest, that are looked up: an engine that knows none of them is another one. */
const maxLookedUp = 50

/** A session that is being started is in the store before the engine knows it. */
const startingMs = 30_000

/** A session that was recorded as lost within this time may have been looked up in the wrong engine. */
const recentMs = 7 * 86_400_000

const shouldBeKnown = ({ runId, status, createdAt }: SessionRow, nowMs: number): boolean =>
  runId !== null && (status !== "pending" || nowMs - Date.parse(createdAt) >= startingMs)

type AdoptedStore = Pick<Store, "storeId" | "engine" | "sessions" | "missing">

/** Returns the sessions that the store's engine must know. */
const expectedSessions = async (store: AdoptedStore, nowMs: number): Promise<readonly string[]> => {
  const open = (await store.sessions.listOpen()).filter((row) => shouldBeKnown(row, nowMs))
  const lost = (await store.missing.listEnded(1_000)).filter(
    ({ firstSeenAt }) => nowMs - Date.parse(firstSeenAt) < recentMs,
  )
  return [...open.map(({ id }) => id).toReversed(), ...lost.map(({ sessionId }) => sessionId).toReversed()]
}

/**
 * Makes the store belong to the first engine that it connects to. The store may have open sessions, or sessions recorded as lost;
 * then the engine must know one of them. If namespaces cannot be described, the store's reconcile schedule is created now and identifies the engine
 * from then on.
 * @throws AdjutantError `engine_mismatch`
 */
export const adoptEngine = async (
  temporal: EngineClient,
  store: AdoptedStore,
  found: EngineIdentity,
): Promise<RememberedEngine> => {
  const expected = await expectedSessions(store, Date.now())
  const lookedUp = expected.slice(0, maxLookedUp)
  if (expected.length > 0 && (await countKnown(temporal, lookedUp, 1)) === 0)
    throw unknownEngine(found, expected.length)
  const taskQueue = taskQueueOf(store.storeId)
  if (found.namespaceId === null) await ensureReconcileSchedule({ temporal, taskQueue })
  return await store.engine.claim({ ...found, scheduleCreatedAt: await scheduleCreatedAt(temporal, taskQueue) })
}
