import type { Logger } from "pino"
import type { Timing } from "../../contracts/config/timing.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { EngineGuard } from "../../engine/engine-guard.ts"
import { repeat } from "../repeat.ts"

export interface EngineWatchOptions {
  readonly engine: Pick<EngineGuard, "verify">
  readonly timing: Pick<Timing, "engineCheckMs">
  readonly logger: Pick<Logger, "error" | "info">
  /** How long another engine can answer before the worker stops; default: a minute. */
  readonly toleranceMs?: number
}

export interface EngineWatch {
  /** Rejects with `engine_mismatch` when another engine has answered for longer than is tolerated. */
  readonly failed: Promise<never>
  stop(): void
}

/**
 * Compares the engine at intervals while a worker is running, since the server at its address may be replaced. If the engine does not answer, the worker
 * continues to try.
 */
export const watchEngine = ({ engine, timing, logger, toleranceMs = 60_000 }: EngineWatchOptions): EngineWatch => {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  let otherSince: number | undefined

  const look = async (): Promise<void> => {
    try {
      await engine.verify()
      if (otherSince !== undefined) logger.info("the Temporal server that this store belongs to is back")
      otherSince = undefined
    } catch (error) {
      if (!isEngineMismatch(error)) return
      if (otherSince === undefined)
        logger.error(
          { err: error },
          "connected to a Temporal server that this store does not belong to; nothing is recorded until the right one is back",
        )
      otherSince ??= performance.now()
      if (performance.now() - otherSince >= toleranceMs) reject(error)
    }
  }
  return { failed, stop: repeat(look, timing.engineCheckMs) }
}
