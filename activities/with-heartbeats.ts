import { asyncLocalStorage, heartbeat } from "@temporalio/activity"
import { heartbeatEveryMs } from "../domain/engine/liveness.ts"

const oftenMs = 1_000
/** Shorter work sends the engine nothing but its end. */
const firstMs = 200

/** Sends heartbeats from timers while the work runs, if the engine expects them: a busy stream and a silent tool are equally alive. */
export const withHeartbeats = async <T>(work: () => Promise<T>): Promise<T> => {
  const info = asyncLocalStorage.getStore()?.info
  if (info?.heartbeatTimeoutMs === undefined || info.isLocal) return work()
  const everyMs = heartbeatEveryMs(info.heartbeatTimeoutMs)
  // Where heartbeats are cheap, the first one also asks soon whether the call was cancelled.
  const first = everyMs > oftenMs ? undefined : setTimeout(() => heartbeat(), Math.min(firstMs, everyMs))
  const timer = setInterval(() => heartbeat(), everyMs)
  try {
    return await work()
  } finally {
    clearTimeout(first)
    clearInterval(timer)
  }
}
