import { type EngineIdentity, isSameEngine, type RememberedEngine } from "../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../domain/engine/engine-names.ts"
import type { EngineClient } from "./engine-client.ts"
import { identifyEngine } from "./identify-engine.ts"
import { scheduleCreatedAt } from "./reconcile-schedule.ts"

export interface EngineComparison {
  /** The engine that answers. */
  readonly found: EngineIdentity
  /** The one that the store belongs to; undefined for none. */
  readonly remembered: RememberedEngine | undefined
  readonly isSame: boolean
}

export interface ComparedStore {
  readonly storeId: string
  readonly remembered: RememberedEngine | undefined
}

/** Looks whether the engine that answers is the one that the store belongs to. Where namespaces cannot be described, the schedule tells. */
export const compareEngine = async (
  temporal: EngineClient,
  { storeId, remembered }: ComparedStore,
  found: EngineIdentity,
): Promise<EngineComparison> => {
  if (remembered === undefined) return { found, remembered, isSame: false }
  const isIdKnown = remembered.namespaceId !== null && found.namespaceId !== null
  const schedule = isIdKnown ? null : await scheduleCreatedAt(temporal, taskQueueOf(storeId))
  return { found, remembered, isSame: isSameEngine(remembered, found, schedule) }
}

/** The same, of the engine at this client's other end. */
export const compareConnected = async (
  temporal: EngineClient,
  store: ComparedStore,
  address: string,
): Promise<EngineComparison> => compareEngine(temporal, store, await identifyEngine(temporal, address))
