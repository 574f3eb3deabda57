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
  /** Compares both if the last comparison is too old, or the connection was lost since. Passes if the engine does not answer. @throws AdjutantError `engine_mismatch` */
  verifyFromTimeToTime(timeoutMs?: number): Promise<void>
  /**
   * Compares both if the connection was lost since the last comparison, or there was none: another server may answer now. Costs no request otherwise.
   * @throws AdjutantError `engine_mismatch`; `temporal_unavailable` if the engine does not answer
   */
  verifyIfReconnected(timeoutMs?: number): Promise<void>
  /**
   * Compares both as `verifyIfReconnected` does. Returns a number that changes when another engine may have answered since the last call, and undefined
   * while another one answers. @throws AdjutantError `temporal_unavailable`
   */
  continuity(timeoutMs?: number): Promise<number | undefined>
  /** Remembers when the store's reconcile schedule was created, by which processes that may not describe the namespace identify the engine. */
  learnSchedule(): Promise<void>
  /**
   * If sessions were executed since the last call, writes the next number to the engine and then to the store, by which an older copy of the engine is
   * recognised. The store requires a number that is at least `everyMs` old. Writes nothing to an engine without the store's schedule.
   * @throws AdjutantError `engine_mismatch` if the engine is an older copy; `temporal_unavailable`
   */
  mark(everyMs: number): Promise<void>
}
