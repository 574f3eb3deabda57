import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { progressHeartbeatMs } from "../answers/request-progress.ts"
import type { ToolCall } from "../mcp-context.ts"
import type { Engine, EngineAccess } from "./engine-access.ts"
import { engineStarting, engineUnavailable } from "./engine-not-ready.ts"

/** A call that waits for the engine. */
export type EngineWait = Pick<ToolCall, "signal" | "progress" | "isCancelled">

/**
 * Returns the engine; the first call that needs it starts it. A client that asked for progress gets it while the call waits; any other call waits for
 * a limited time. Throws `EngineNotReady`, or the signal's reason if the client cancels the call.
 */
export const awaitEngine = async (access: EngineAccess, wait: EngineWait): Promise<Engine> => {
  const ready = access.current()
  if (ready !== undefined) return ready
  const notify = wait.progress
  const stopFollowing = notify === undefined ? undefined : access.follow(notify)
  const heartbeat = setInterval(
    () => notify?.(access.progress() ?? "starting the Temporal server"),
    progressHeartbeatMs,
  )
  const interruption = interruptWait(access, wait)
  try {
    return await Promise.race([access.open().catch(throwUnavailable), interruption.rejected])
  } finally {
    clearInterval(heartbeat)
    interruption.dispose()
    stopFollowing?.()
  }
}

const throwUnavailable = (error: unknown): never => {
  throw isAdjutantError(error) ? engineUnavailable(error) : error
}

/** Rejects when the client cancels the call or the wait limit is reached. */
const interruptWait = (
  { waitLimit, progress }: EngineAccess,
  { signal, progress: notify, isCancelled }: EngineWait,
) => {
  const { promise: rejected, reject } = Promise.withResolvers<never>()
  rejected.catch(() => undefined)
  const startedAt = performance.now()
  const abort = (): void => {
    // Recorded here, since the client's next call may already be queued.
    if (isCancelled()) waitLimit.recordCancelled(performance.now() - startedAt)
    reject(signal.reason)
  }
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  const limitMs = waitLimit.limitMs({ getsProgress: notify !== undefined })
  const timer = limitMs === undefined ? undefined : setTimeout(() => reject(engineStarting(progress())), limitMs)
  return {
    rejected,
    dispose: () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
    },
  }
}
