import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { KeeperOptions } from "./keeper-options.ts"
import type { Synchronous } from "./server-record.ts"

export interface KeeperWish {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly synchronous?: Synchronous
}

/** The keeper's options; `ADJUTANT_SERVER_LINGER_MS` says how long the server outlives its last user (default 2 s). */
export const keeperSettings = ({ dataDir, env, synchronous }: KeeperWish, program: string): KeeperOptions => {
  const lingerMs = Number(env["ADJUTANT_SERVER_LINGER_MS"] || 2_000)
  if (!Number.isInteger(lingerMs) || lingerMs < 0 || lingerMs > 86_400_000) {
    throw new AdjutantError("invalid_config", "ADJUTANT_SERVER_LINGER_MS must be milliseconds from 0 to 86400000.")
  }
  return {
    dataDir,
    program,
    synchronous: synchronous ?? "normal",
    lingerMs,
    pollMs: Math.min(250, Math.max(20, Math.round(lingerMs / 4))),
    readyTimeoutMs: 60_000,
    stopGraceMs: 15_000,
  }
}
