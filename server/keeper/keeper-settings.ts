import type { KeeperOptions } from "./keeper-options.ts"
import type { Synchronous } from "./server-record.ts"
import { milliseconds, type StartLimits, startLimits } from "../start/start-limits.ts"

export interface KeeperRequest {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly synchronous?: Synchronous
  readonly limits?: Partial<StartLimits>
}

/** Returns the keeper's options. `ADJUTANT_SERVER_LINGER_MS` sets how long the server keeps running after its last user has left (default: 2 s). */
export const keeperSettings = (request: KeeperRequest, program: string): KeeperOptions => {
  const { dataDir, env, synchronous } = request
  const { readyTimeoutMs, stopGraceMs } = startLimits(env, request.limits)
  const lingerMs = milliseconds(env, "ADJUTANT_SERVER_LINGER_MS", { least: 0, otherwise: 2_000 })
  return {
    dataDir,
    program,
    synchronous: synchronous ?? "normal",
    lingerMs,
    pollMs: Math.min(250, Math.max(20, Math.round(lingerMs / 4))),
    readyTimeoutMs,
    stopGraceMs,
  }
}
