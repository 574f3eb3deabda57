import type { StopReason } from "../../contracts/status.ts"

/** The status of a run that ended so. */
export const statusOf = (stopReason: StopReason): "completed" | "cancelled" | "timed_out" | "failed" => {
  if (stopReason === "completed" || stopReason === "cancelled") return stopReason
  return stopReason === "timeout" ? "timed_out" : "failed"
}
