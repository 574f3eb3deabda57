import type { Session } from "../../contracts/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Returns whether no run is active: the next message starts one. */
export const isIdle = ({ status, run_id: run }: Pick<Session, "status" | "run_id">): boolean =>
  isFinal(status) || run === null

/** Returns the status in a person's words, with the reason where that says more. */
export const statusText = ({ status, stop_reason: reason, blocked_by: blocked }: Session): string => {
  if (blocked?.type === "child_paused") return "waits for a sub-agent"
  if (blocked !== null && blocked.type !== "lane") return "waits for the provider"
  if (blocked !== null) return "waits for a slot"
  const isTold = reason === null || reason === status || reason === "timeout"
  return (isTold ? status : `${status}: ${reason}`).replaceAll("_", " ")
}
