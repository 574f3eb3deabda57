import type { RememberedEngine } from "../domain/engine/engine-identity.ts"
import type { EngineComparison } from "./compare-engine.ts"

/** Compares the engine that answers with the one that the store belongs to. */
export interface EngineGuard {
  /** Looks at both, and writes nothing. @throws AdjutantError `temporal_unavailable` */
  compare(): Promise<EngineComparison>
  /**
   * Compares now. A store that belongs to none yet belongs to this one from then on.
   * @throws AdjutantError `engine_mismatch`; `temporal_unavailable` where nothing answers
   */
  verify(timeoutMs?: number): Promise<RememberedEngine>
  /** Compares where the last comparison is a while ago. Passes where nothing answers. @throws AdjutantError `engine_mismatch` */
  verifyFromTimeToTime(timeoutMs?: number): Promise<void>
  /** Remembers when the store's reconcile schedule was made: processes that may not describe the namespace know the engine by it. */
  learnSchedule(): Promise<void>
}
