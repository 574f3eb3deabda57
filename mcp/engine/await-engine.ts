import { progressHeartbeatMs } from "../answers/request-progress.ts"
import type { ClientToolCall } from "../mcp-context.ts"
import type { Engine, EngineAccess } from "../engine-access.ts"
import { EngineStarting } from "./engine-starting.ts"

/** A call that waits for the engine. */
export type EngineWait = Pick<ClientToolCall, "signal" | "progress" | "answerBy">

/**
 * Returns the engine. A client that asked for progress gets it while the call waits. Throws `EngineStarting` when the call has to be answered, or the
 * signal's reason if the client gives up the call.
 */
export const awaitEngine = async (
  access: EngineAccess,
  { signal, progress, answerBy }: EngineWait,
): Promise<Engine> => {
  const ready = access.current()
  if (ready !== undefined) return ready
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  const timer = setTimeout(() => reject(new EngineStarting(access.progress())), Math.max(0, answerBy - Date.now()))
  const stopFollowing = progress === undefined ? undefined : access.follow(progress)
  const tell = () => progress?.(access.progress() ?? "starting the Temporal server")
  const heartbeat = setInterval(tell, progressHeartbeatMs)
  try {
    return await Promise.race([access.open(), interrupted])
  } finally {
    clearInterval(heartbeat)
    clearTimeout(timer)
    signal.removeEventListener("abort", abort)
    stopFollowing?.()
  }
}
