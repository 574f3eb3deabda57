import type { StopReason } from "../../contracts/status.ts"

/** Returns the status of a run that ended with a stop reason. */
export const finalStatusOf = (stopReason: StopReason): "completed" | "cancelled" | "timed_out" | "failed" => {
  if (stopReason === "completed" || stopReason === "cancelled") return stopReason
  return stopReason === "timeout" ? "timed_out" : "failed"
}
