import type { Status, StopReason } from "../../contracts/status.ts"
import { assertNever } from "../assert-never.ts"
import { type FinalStatus, isFinal } from "../run/is-final.ts"

/** The engine's status of a session's latest execution; `running` includes paused executions and those that continued as new. */
export type EngineStatus = "running" | "completed" | "failed" | "cancelled" | "terminated" | "timed_out" | "not_found"

/** A session's row and the engine's answer about it. The engine must be asked before the row is read: a workflow writes, then closes. */
export interface ReconcileFacts {
  readonly rowStatus: Status
  readonly engine: EngineStatus
  /** Time since the row last changed. */
  readonly rowAgeMs: number
  /** How long a row may have no execution: a start in progress looks like a lost one. */
  readonly startGraceMs: number
  /** The session has no earlier run, so the engine's status cannot be that of an earlier execution. */
  readonly isFirstRun?: boolean
}

/** The outcome that is missing in the store. */
export interface MissedOutcome {
  readonly status: FinalStatus
  readonly stopReason: StopReason
  readonly error: { readonly code: string; readonly message: string }
}

const missedOutcome = (status: FinalStatus, stopReason: StopReason, message: string): MissedOutcome => ({
  status,
  stopReason,
  error: { code: stopReason, message },
})

const terminated = (message: string): MissedOutcome => missedOutcome("failed", "terminated", message)

/** Returns the outcome to write for a session whose execution ended without recording one; undefined if none is missing. */
export const reconcileDecision = (facts: ReconcileFacts): MissedOutcome | undefined => {
  if (isFinal(facts.rowStatus) || facts.engine === "running") return undefined
  const mayBeEarlier = facts.rowStatus === "pending" && facts.isFirstRun !== true
  const mayBeStarting = mayBeEarlier || facts.engine === "not_found"
  if (mayBeStarting && facts.rowAgeMs < facts.startGraceMs) return undefined
  if (facts.rowStatus === "pending" && facts.engine === "completed")
    return missedOutcome("failed", "error", "the run never started: send the message again")
  switch (facts.engine) {
    case "terminated":
      return terminated("the session was terminated in Temporal: send a message to continue from its transcript")
    case "not_found":
      return terminated("Temporal no longer knows this session: send a message to continue from its transcript")
    case "timed_out":
      return missedOutcome("timed_out", "timeout", "the execution timed out in Temporal: raise its execution timeout")
    case "cancelled":
      return missedOutcome("cancelled", "cancelled", "the run was cancelled")
    case "failed":
    case "completed":
      return missedOutcome(
        "failed",
        "error",
        "the execution ended without recording its outcome: see its history in the Temporal UI",
      )
    default:
      return assertNever(facts.engine)
  }
}
