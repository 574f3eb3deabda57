import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { EngineIdentity } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { areTooManyMissing } from "../../domain/engine/missing-sessions.ts"
import { isEngineMismatch } from "./create-engine-guard.ts"
import type { EngineComparison } from "../../engine/compare-engine.ts"
import { countKnown } from "../../engine/describe-execution.ts"
import { ensureReconcileSchedule, scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"
import type { Actor } from "../authority/actor.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** The engine that the store belongs to beside the one that answers. */
export interface EngineReport {
  /** Null for a store that belongs to none yet. */
  readonly belongs_to: EngineView | null
  readonly answers: EngineView
  readonly is_same: boolean
  /** Sessions that are open in the store and have a run. */
  readonly open_sessions: number
  /** How many of them the engine that answers knows. */
  readonly known_sessions: number
}

export interface EngineView {
  readonly namespace: string
  /** Null where the namespace cannot be described. */
  readonly namespace_id: string | null
  readonly address: string
  /** When the store was moved there, or met it first; null for the one that answers. */
  readonly since: string | null
}

const viewOf = (engine: EngineIdentity, since: string | null): EngineView => ({
  namespace: engine.namespace,
  namespace_id: engine.namespaceId,
  address: engine.address,
  since,
})

const openIds = async ({ store }: SessionsContext): Promise<readonly string[]> =>
  (await store.sessions.listOpen()).filter(({ runId }) => runId !== null).map(({ id }) => id)

const reportOf = async (
  context: SessionsContext,
  { found, remembered, isSame }: EngineComparison,
): Promise<EngineReport> => {
  const open = await openIds(context)
  return {
    belongs_to: remembered === undefined ? null : viewOf(remembered, remembered.since),
    answers: viewOf(found, null),
    is_same: isSame,
    open_sessions: open.length,
    known_sessions: await countKnown(context.temporal, open),
  }
}

/** @throws AdjutantError `temporal_unavailable` */
export const showEngine = async (context: SessionsContext): Promise<EngineReport> =>
  reportOf(context, await context.engine.compare())

/**
 * Makes the store belong to the engine that answers; where it does already, nothing changes. Sessions that this engine does not know stay open until
 * they count as lost.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch` where another process moved the store meanwhile
 */
export const moveEngine = async (context: SessionsContext, actor: Actor): Promise<EngineReport> => {
  const { store, temporal, engine } = context
  const { found, remembered, isSame } = await engine.compare()
  if (isSame) return reportOf(context, { found, remembered, isSame })
  const taskQueue = taskQueueOf(store.storeId)
  await ensureReconcileSchedule({ temporal, taskQueue })
  const createdAt = await scheduleCreatedAt(temporal, taskQueue)
  const before = await reportOf(context, { found, remembered, isSame })
  const moved = await store.engine.move(
    remembered?.claimId ?? null,
    { ...found, scheduleCreatedAt: createdAt },
    { ...actor, detail: { ...before } },
  )
  if (moved === undefined)
    throw new AdjutantError(
      "engine_mismatch",
      'another process moved the store at the same time: run "adjutant engine" to see where it belongs now',
    )
  return { ...before, belongs_to: viewOf(moved, moved.since), is_same: true }
}

/** What `/readyz` says of the engine besides that it answers. */
export interface EngineHealth {
  /** False where another engine answers than the one that the store belongs to. */
  readonly isSame: boolean
  /** Open sessions that the engine does not know and that nobody has accepted as lost. */
  readonly missing: number
  /** So many are missing that the reconciler ends none of them. */
  readonly isStopped: boolean
}

/** @throws AdjutantError `temporal_unavailable` */
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
