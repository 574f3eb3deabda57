import type { Status } from "../../contracts/status.ts"
import type { EngineStatus } from "./reconcile-decision.ts"

/** Number of sessions that are open in the store but unknown to the engine, over the whole store. */
export interface MissingCount {
  /** Sessions whose loss has not been accepted. */
  readonly missing: number
  /** All open sessions with a run. */
  readonly open: number
  /** Sessions that were recorded as lost within the last hour, and whose loss has not been accepted. They are no longer open. */
  readonly lost: number
}

/** Up to this number of sessions can be missing at once without a person. */
export const tolerated = 5
const toleratedShare = 0.1

/**
 * Returns true if so many sessions are missing at once that a wrong engine is more likely than lost sessions; then none of them is ended. Sessions
 * recently recorded as lost count, too, so that many missing sessions are not ended one by one.
 */
export const areTooManyMissing = ({ missing, open, lost }: MissingCount): boolean =>
  missing > 0 && missing + lost > tolerated && missing + lost > (open + lost) * toleratedShare

/** When a session was first not found, how often it was not found, and whether a person has accepted its loss. */
export interface MissingSighting {
  readonly firstSeenAt: string
  /** Number of times that it was not found, the first included. */
  readonly times: number
  readonly acceptedAt: string | null
}

export interface MissingFacts {
  readonly sighting: MissingSighting
  readonly nowMs: number
  /** The minimum time from the first check that did not find the session until the one that confirms the loss. */
  readonly confirmMs: number
  readonly count: MissingCount
}

/** `unconfirmed`: it must be found missing again later. `too_many`: a person must decide. `lost`: its run has ended. */
export type MissingVerdict = "unconfirmed" | "too_many" | "lost"

export const missingVerdict = ({ sighting, nowMs, confirmMs, count }: MissingFacts): MissingVerdict => {
  if (sighting.times < 2 || nowMs - Date.parse(sighting.firstSeenAt) < confirmMs) return "unconfirmed"
  return sighting.acceptedAt === null && areTooManyMissing(count) ? "too_many" : "lost"
}

/** The tolerated difference between the clocks of the store's processes and the engine. */
export const clockSkewMs = 10_000

export interface ExecutionFacts {
  readonly status: EngineStatus
  /** When the execution closed; null while it is open. */
  readonly closedAtMs: number | null
}

/**
 * Returns the engine's status of the run that a row is open for. An execution that closed before the run was created is an earlier one, so the run's
 * own does not exist, as after the engine was restored from a backup. A run that has not started may have an earlier execution.
 */
export const statusForRun = (
  { status, closedAtMs }: ExecutionFacts,
  row: { readonly status: Status; readonly runCreatedAt: string | undefined },
): EngineStatus =>
  row.status !== "pending" &&
  row.runCreatedAt !== undefined &&
  closedAtMs !== null &&
  closedAtMs + clockSkewMs < Date.parse(row.runCreatedAt)
    ? "not_found"
    : status
