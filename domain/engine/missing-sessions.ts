import type { Status } from "../../contracts/status.ts"
import type { EngineStatus } from "./reconcile-decision.ts"

/** Sessions that are open in the store and that the engine does not know, counted over the whole store. */
export interface MissingCount {
  /** Those that nobody has accepted as lost. */
  readonly missing: number
  /** All open sessions that have a run. */
  readonly open: number
  /** Those that were recorded as lost within the last hour, and whose loss nobody has accepted: open no more. */
  readonly lost: number
}

const tolerated = 5
const toleratedShare = 0.1

/**
 * True where so many are missing at once that the engine is more likely to be at fault than the sessions: none of them is ended then. What was just
 * recorded as lost counts, too, so that many who wait do not end one after another.
 */
export const areTooManyMissing = ({ missing, open, lost }: MissingCount): boolean =>
  missing > 0 && missing + lost > tolerated && missing + lost > (open + lost) * toleratedShare

/** When a session was first not found, how often since, and whether a person has accepted its loss. */
export interface MissingSighting {
  readonly firstSeenAt: string
  /** 1 for the first time. */
  readonly times: number
  readonly acceptedAt: string | null
}

export interface MissingFacts {
  readonly sighting: MissingSighting
  readonly nowMs: number
  /** A session must be missed a second time, at least so long after the first. */
  readonly confirmMs: number
  readonly count: MissingCount
}

/** `unconfirmed`: it has to be missed again later. `too_many`: a person has to look. `lost`: its run is over. */
export type MissingVerdict = "unconfirmed" | "too_many" | "lost"

export const missingVerdict = ({ sighting, nowMs, confirmMs, count }: MissingFacts): MissingVerdict => {
  if (sighting.times < 2 || nowMs - Date.parse(sighting.firstSeenAt) < confirmMs) return "unconfirmed"
  return sighting.acceptedAt === null && areTooManyMissing(count) ? "too_many" : "lost"
}

/** Clocks of the store's processes and of the engine may differ by this much. */
const clockSkewMs = 10_000

export interface ExecutionFacts {
  readonly status: EngineStatus
  /** When the execution closed; null while it is open. */
  readonly closedAtMs: number | null
}

/**
 * What the engine says of the run that a row is open for. An execution that closed before the run was created is an earlier one: the run's own is not
 * there, as after a restore of the engine from a backup. A run that is still to start is expected to have an earlier one.
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
