import type { EngineGuard } from "./engine-guard.ts"
import type { TemporalClient } from "./temporal-client.ts"

/** Limits of requests to the engine. Milliseconds. */
export interface EngineTiming {
  /** How long an update may take before its signal is sent instead. */
  readonly updateTimeoutMs: number
  /** How long one request to Temporal may take, retries included. */
  readonly engineTimeoutMs: number
  /** How long after its last poll a worker counts as alive: a long poll lasts a minute. */
  readonly workerSeenMs: number
}

/** What a request to the engine needs. */
export interface EngineContext {
  readonly temporal: TemporalClient
  readonly taskQueue: string
  /** False where AgentStatus and the others are not registered. */
  readonly hasSearchAttributes: boolean
  readonly timing: EngineTiming
  /** Compares the engine that answers with the one that the store belongs to. */
  readonly engine: Pick<EngineGuard, "verifyFromTimeToTime">
}
