import { activityInfo, heartbeat } from "@temporalio/activity"

const fallbackMs = 1_000
/** Short work tells the engine nothing but its end. */
const firstMs = 200

/** Heartbeats from timers while the work runs, four times per timeout: a busy stream or a silent tool are alike alive. */
export const withHeartbeats = async <T>(work: () => Promise<T>): Promise<T> => {
  const timeoutMs = activityInfo().heartbeatTimeoutMs
  const everyMs = timeoutMs === undefined ? fallbackMs : Math.max(1, timeoutMs / 4)
  const first = setTimeout(() => heartbeat(), Math.min(firstMs, everyMs))
  const timer = setInterval(() => heartbeat(), everyMs)
  try {
    return await work()
  } finally {
    clearTimeout(first)
    clearInterval(timer)
  }
}
