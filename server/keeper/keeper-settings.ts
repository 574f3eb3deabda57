import type { Synchronous } from "./server-record.ts"
import { milliseconds, type StartLimits, startLimits } from "../process/start-limits.ts"

/** What the process that keeps a server needs to know. */
export interface KeeperOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  /** Absolute path of the `temporal` program. */
  readonly program: string
  readonly synchronous: Synchronous
  /** How long the server outlives its users if these were killed. */
  readonly lingerMs: number
  /** How long the server may take to become ready. */
  readonly readyTimeoutMs: number
  /** How long the server may take to stop before it is killed. */
  readonly stopGraceMs: number
}

export interface KeeperRequest {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly synchronous?: Synchronous
  readonly limits?: Partial<StartLimits>
}

/** Returns the keeper's options. `ADJUTANT_SERVER_LINGER_MS` sets how long the server outlives users that were killed (default: two minutes). */
export const keeperSettings = (request: KeeperRequest, program: string): KeeperOptions => {
  const { dataDir, env, synchronous = "normal" } = request
  const { readyTimeoutMs, stopGraceMs } = startLimits(env, request.limits)
  const lingerMs = milliseconds(env, "ADJUTANT_SERVER_LINGER_MS", { least: 0, otherwise: 120_000 })
  return { dataDir, env, program, synchronous, lingerMs, readyTimeoutMs, stopGraceMs }
}
