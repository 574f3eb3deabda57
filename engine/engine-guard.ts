import { type AdjutantError, isAdjutantError } from "../contracts/adjutant-error.ts"
import type { RememberedEngine } from "../domain/engine/engine-identity.ts"
import type { EngineComparison } from "./compare-engine.ts"

/** Compares the connected engine with the one that the store belongs to. */
export interface EngineGuard {
  /** Compares both, without writing. @throws AdjutantError `temporal_unavailable` */
  compare(): Promise<EngineComparison>
  /**
   * Compares both now. A store that does not belong to an engine yet then belongs to this one.
   * @throws AdjutantError `engine_mismatch`; `temporal_unavailable` if the engine does not answer
   */
  verify(timeoutMs?: number): Promise<RememberedEngine>
  /** Compares both if the last comparison is too old. Passes if the engine does not answer. @throws AdjutantError `engine_mismatch` */
  verifyFromTimeToTime(timeoutMs?: number): Promise<void>
  /** Remembers when the store's reconcile schedule was created, by which processes that may not describe the namespace identify the engine. */
  learnSchedule(): Promise<void>
}

export const isEngineMismatch = (error: unknown): error is AdjutantError =>
  isAdjutantError(error) && error.code === "engine_mismatch"
