import type { BlockedBy, Session } from "../../contracts/session/session.ts"

const waits: Readonly<Record<BlockedBy["type"], string>> = {
  child_paused: "waits for a sub-agent",
  daily_limit: "waits for other calls",
  lane: "waits for a slot",
  engine: "waits for Temporal",
  missing_key: "waits for a key",
  place: "waits for a worker",
  provider_unavailable: "waits for the provider",
  rate_limit: "waits for the provider",
  store: "waits for the store",
  worker_busy: "waits for the worker",
}

/** Returns the status in a person's words, with the reason where that says more. */
export const statusWords = ({
  status,
  stop_reason: reason,
  blocked_by: blocked,
}: Pick<Session, "status" | "stop_reason" | "blocked_by">): string => {
  const [wait] = blocked
  if (wait !== undefined) return waits[wait.type]
  const isTold = reason === null || reason === status || reason === "timeout" || reason === "error"
  return (isTold ? status : `${status}: ${reason}`).replaceAll("_", " ")
}
