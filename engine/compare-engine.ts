import { type EngineIdentity, isSameEngine, type RememberedEngine } from "../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../domain/engine/engine-names.ts"
import type { EngineClient } from "./engine-client.ts"
import { identifyEngine } from "./identify-engine.ts"
import { scheduleCreatedAt } from "./reconcile-schedule.ts"

export interface EngineComparison {
  /** The connected engine. */
  readonly found: EngineIdentity
  /** The engine that the store belongs to; undefined if it does not belong to one yet. */
  readonly remembered: RememberedEngine | undefined
  readonly isSame: boolean
}

export interface ComparedStore {
  readonly storeId: string
  readonly remembered: RememberedEngine | undefined
}

/** Compares an engine with the one that the store belongs to. If namespaces cannot be described, the schedule identifies the engine. */
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

/** Compares the connected engine with the one that the store belongs to. */
export const compareConnected = async (
  temporal: EngineClient,
  store: ComparedStore,
  address: string,
): Promise<EngineComparison> => compareEngine(temporal, store, await identifyEngine(temporal, address))
