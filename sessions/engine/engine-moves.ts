import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { EngineIdentity } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { areTooManyMissing } from "../../domain/engine/missing-sessions.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { EngineComparison } from "../../engine/compare-engine.ts"
import { countKnown } from "../../engine/describe-execution.ts"
import { ensureReconcileSchedule, scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"
import { type Actor, auditedActor } from "../actor.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** The engine that the store belongs to, and the connected one. */
export interface EngineReport {
  /** Null for a store that does not belong to an engine yet. */
  readonly belongs_to: EngineView | null
  readonly answers: EngineView
  readonly is_same: boolean
  /** Sessions that are open in the store and have a run. */
  readonly open_sessions: number
  /** How many of them the connected engine knows. */
  readonly known_sessions: number
}

export interface EngineView {
  readonly namespace: string
  /** Null if the namespace cannot be described. */
  readonly namespace_id: string | null
  readonly address: string
  /** When the store was moved to the engine, or first connected to it; null for the connected engine. */
  readonly since: string | null
}

const engineView = (engine: EngineIdentity, since: string | null): EngineView => ({
  namespace: engine.namespace,
  namespace_id: engine.namespaceId,
  address: engine.address,
  since,
})

const openIds = async ({ store }: SessionsContext): Promise<readonly string[]> =>
  (await store.sessions.listOpen()).filter(({ runId }) => runId !== null).map(({ id }) => id)

const moveReport = async (
  context: SessionsContext,
  { found, remembered, isSame }: EngineComparison,
): Promise<EngineReport> => {
  const open = await openIds(context)
  return {
    belongs_to: remembered === undefined ? null : engineView(remembered, remembered.since),
    answers: engineView(found, null),
    is_same: isSame,
    open_sessions: open.length,
    known_sessions: await countKnown(context.temporal, open),
  }
}

/** Returns the store's engine and the connected one. @throws AdjutantError `temporal_unavailable` */
export const showEngine = async (context: SessionsContext): Promise<EngineReport> =>
  moveReport(context, await context.engine.compare())

/**
 * Makes the store belong to the connected engine; changes nothing if it already does. Sessions that this engine does not know stay open until they are
 * recorded as lost.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch` if another process moved the store at the same time
 */
export const moveEngine = async (context: SessionsContext, actor: Actor): Promise<EngineReport> => {
  const { store, temporal, engine } = context
  const { found, remembered, isSame } = await engine.compare()
  if (isSame) return moveReport(context, { found, remembered, isSame })
  const taskQueue = taskQueueOf(store.storeId)
  await ensureReconcileSchedule({ temporal, taskQueue })
  const createdAt = await scheduleCreatedAt(temporal, taskQueue)
  const before = await moveReport(context, { found, remembered, isSame })
  const moved = await store.engine.move(
    remembered?.claimId ?? null,
    { ...found, scheduleCreatedAt: createdAt },
    { ...auditedActor(actor), detail: { ...before } },
  )
  if (moved === undefined)
    throw new AdjutantError(
      "engine_mismatch",
      'another process moved the store at the same time: run "adjutant engine" to see which engine it belongs to now',
    )
  return { ...before, belongs_to: engineView(moved, moved.since), is_same: true }
}

/** What `/readyz` reports about the engine, apart from its availability. */
export interface EngineHealth {
  /** False if the connected engine is not the one that the store belongs to. */
  readonly isSame: boolean
  /** Number of open sessions that the engine does not know and whose loss has not been accepted. */
  readonly missing: number
  /** So many sessions are missing that the reconciler does not end any of them. */
  readonly isStopped: boolean
}

/** Returns the health of the engine. @throws AdjutantError `temporal_unavailable` */
export const engineHealth = async ({ engine, store }: SessionsContext): Promise<EngineHealth> => {
  try {
    const { claimId } = await engine.verify()
    const count = await store.missing.count(claimId)
    return { isSame: true, missing: count.missing, isStopped: areTooManyMissing(count) }
  } catch (error) {
    if (!isEngineMismatch(error)) throw error
    return { isSame: false, missing: 0, isStopped: false }
  }
}
