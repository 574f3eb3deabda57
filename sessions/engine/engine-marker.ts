import { olderEngine, type RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { clockSkewMs } from "../../domain/engine/missing-sessions.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { findSchedule, type FoundSchedule, writeMarker } from "../../engine/reconcile-schedule.ts"
import type { Store } from "../../store/store.ts"

/** A schedule that was created again later, or whose marker a person removed, proves nothing. */
const isBehind = ({ scheduleCreatedAt, marker }: RememberedEngine, found: FoundSchedule | undefined): boolean => {
  if (found === undefined || scheduleCreatedAt === null) return false
  if (found.createdAt !== scheduleCreatedAt) return Date.parse(found.createdAt) < Date.parse(scheduleCreatedAt)
  return marker !== undefined && found.marker !== undefined && found.marker < marker.required
}

/**
 * Returns true if the engine lacks a marker that the store requires. `seenAtMs` is a time up to which the engine is known to be complete: if that is
 * after the marker was written, no request is needed.
 */
export const lacksMarker = async (
  temporal: Pick<EngineClient, "schedule">,
  { storeId }: Pick<Store, "storeId">,
  remembered: RememberedEngine,
  seenAtMs = Number.NEGATIVE_INFINITY,
): Promise<boolean> => {
  const { marker } = remembered
  if (marker === undefined || seenAtMs > Date.parse(marker.requiredAt) + clockSkewMs) return false
  return isBehind(remembered, await findSchedule(temporal, taskQueueOf(storeId)))
}

export interface Marking {
  readonly remembered: RememberedEngine
  /** How old a number must be before the store requires it. */
  readonly everyMs: number
  /** Whether the connection was lost since the engine was compared. */
  isReconnected(): boolean
}

/**
 * Writes the next number to the engine, and then to the store. The store requires the number before it, if the engine still has that. If the connection
 * is lost meanwhile, an older copy may have got the number, and the store does not. Returns false if it must be called again.
 * @throws AdjutantError `engine_mismatch` if the engine is an older copy
 */
export const advanceMarker = async (
  temporal: Pick<EngineClient, "schedule">,
  store: Pick<Store, "storeId" | "engine">,
  { remembered, everyMs, isReconnected }: Marking,
): Promise<boolean> => {
  const taskQueue = taskQueueOf(store.storeId)
  const found = await findSchedule(temporal, taskQueue)
  if (isBehind(remembered, found)) throw olderEngine(remembered)
  if (found === undefined || found.createdAt !== remembered.scheduleCreatedAt) return true
  const { marker } = remembered
  const now = Date.now()
  if (marker !== undefined && now - Date.parse(marker.writtenAt) < everyMs) return false
  const written = Math.max(marker?.written ?? 0, found.marker ?? 0) + 1
  await writeMarker(temporal, taskQueue, written)
  if (isReconnected()) return false
  const at = new Date(now).toISOString()
  const required =
    marker !== undefined && (found.marker ?? 0) >= marker.written
      ? { required: marker.written, requiredAt: marker.writtenAt }
      : { required: marker?.required ?? 0, requiredAt: marker?.requiredAt ?? at }
  await store.engine.mark(remembered.claimId, { ...required, written, writtenAt: at })
  return true
}
