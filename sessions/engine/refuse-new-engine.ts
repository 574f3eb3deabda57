import { counted } from "../../domain/text/figures.ts"
import { engineText, missingEngine } from "../../domain/engine/engine-identity.ts"
import type { Store } from "../../store/store.ts"

/**
 * Rejects if the store belongs to an engine, or has open sessions: then a new engine is not the right one. `place` is the file of an embedded engine.
 * @throws AdjutantError `engine_mismatch`
 */
export const refuseNewEngine = async (store: Pick<Store, "engine" | "sessions">, place: string): Promise<void> => {
  const remembered = await store.engine.read()
  if (remembered !== undefined) throw missingEngine(`belongs to Temporal ${engineText(remembered)}`, place)
  const open = (await store.sessions.listOpen()).filter(({ runId }) => runId !== null).length
  if (open > 0) throw missingEngine(`has ${counted(open, "open session")}`, place)
}
