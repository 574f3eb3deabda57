import { activityInfo, heartbeat } from "@temporalio/activity"

const fallbackMs = 1_000

/** Heartbeats from a timer while the work runs, four times per timeout: a busy stream or a silent tool are alike alive. */
export const withHeartbeats = async <T>(work: () => Promise<T>): Promise<T> => {
  const timeoutMs = activityInfo().heartbeatTimeoutMs
  const timer = setInterval(() => heartbeat(), timeoutMs === undefined ? fallbackMs : Math.max(1, timeoutMs / 4))
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
