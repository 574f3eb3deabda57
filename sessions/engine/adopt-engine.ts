import { type EngineIdentity, type RememberedEngine, unknownEngine } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { countKnown } from "../../engine/describe-execution.ts"
import { ensureReconcileSchedule, scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"

/** Of many sessions the newest are looked for: an engine that knows none of them is another one. */
const mostLookedFor = 50

/** A start that is on its way is in the store before the engine has heard of it. */
const startingMs = 30_000

/** A session that was recorded as lost within this time may have been looked for in the wrong engine. */
const recentMs = 7 * 86_400_000

const shouldBeKnown = ({ runId, status, createdAt }: SessionRow, nowMs: number): boolean =>
  runId !== null && (status !== "pending" || nowMs - Date.parse(createdAt) >= startingMs)

type AdoptedStore = Pick<Store, "storeId" | "engine" | "sessions" | "missing">

/** Sessions that the store's engine must know. */
const expectedSessions = async (store: AdoptedStore, nowMs: number): Promise<readonly string[]> => {
  const open = (await store.sessions.listOpen()).filter((row) => shouldBeKnown(row, nowMs))
  const lost = (await store.missing.listEnded(1_000)).filter(
    ({ firstSeenAt }) => nowMs - Date.parse(firstSeenAt) < recentMs,
  )
  return [...open.map(({ id }) => id).toReversed(), ...lost.map(({ sessionId }) => sessionId).toReversed()]
}

/**
 * Makes the store belong to the engine that it meets first. A store of an earlier version may have open sessions, or some that it recorded as lost:
 * then the engine must know one of them. Where namespaces cannot be described, the store's reconcile schedule is made now: it tells the engine from
 * then on.
 * @throws AdjutantError `engine_mismatch`
 */
export const adoptEngine = async (
  temporal: EngineClient,
  store: AdoptedStore,
  found: EngineIdentity,
): Promise<RememberedEngine> => {
  const expected = await expectedSessions(store, Date.now())
  const lookedFor = expected.slice(0, mostLookedFor)
  if (expected.length > 0 && (await countKnown(temporal, lookedFor, 1)) === 0)
    throw unknownEngine(found, expected.length)
  const taskQueue = taskQueueOf(store.storeId)
  if (found.namespaceId === null) await ensureReconcileSchedule({ temporal, taskQueue })
  return await store.engine.claim({ ...found, scheduleCreatedAt: await scheduleCreatedAt(temporal, taskQueue) })
}
