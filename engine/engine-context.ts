import type { Liveness } from "../domain/engine/liveness.ts"
import type { EngineGuard } from "./engine-guard.ts"
import type { TemporalClient } from "./temporal-client.ts"

/** Limits of requests to the engine. Milliseconds. */
export interface EngineTiming {
  /** How long an update may take before its signal is sent instead. */
  readonly updateTimeoutMs: number
  /** How long one request to Temporal may take, including retries. */
  readonly engineTimeoutMs: number
  /** How long after its last poll a worker counts as alive: a long poll lasts a minute. */
  readonly workerSeenMs: number
}

/** The context of a request to the engine. */
export interface EngineContext {
  readonly temporal: TemporalClient
  readonly taskQueue: string
  /** False if the search attributes are not registered. */
  readonly hasSearchAttributes: boolean
  readonly timing: EngineTiming
  /** How long the engine waits for a dead worker; default `embedded`. */
  readonly liveness?: Liveness
  /** Compares the connected engine with the one that the store belongs to. */
  readonly engine: Pick<EngineGuard, "verify" | "verifyFromTimeToTime">
  /** Returns when a worker is running, and rejects if none can be started. Default: workers are left to others. */
  readonly requireWorker?: (() => Promise<void>) | undefined
}
