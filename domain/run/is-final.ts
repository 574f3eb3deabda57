import type { Status } from "../../contracts/status.ts"

export type FinalStatus = Extract<Status, "completed" | "failed" | "cancelled" | "timed_out">

/** Returns whether a status is final: it never changes again. */
export const isFinal = (status: Status): status is FinalStatus =>
  status === "completed" || status === "failed" || status === "cancelled" || status === "timed_out"
