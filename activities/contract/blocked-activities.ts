import type { RunBlocker } from "../../domain/session/block.ts"
import type { Outbox } from "./agent-activities.ts"
import type { RunScope } from "./run-scope.ts"

export interface ShowBlockedInput extends RunScope {
  readonly blockedBy: Extract<RunBlocker, { readonly type: "machine" | "missing_key" | "provider_unavailable" }> | null
  readonly outbox: Outbox
}

/** Activities of runs that wait for something other than a person, a slot or a sub-agent. */
export interface BlockedActivities {
  /** Shows what keeps the run from continuing; null: nothing any more. */
  showBlocked(input: ShowBlockedInput): Promise<void>
}
