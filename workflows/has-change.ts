import { patched } from "@temporalio/workflow"

/** What the release "release-2026-11" contains. A later change has a patch of its own: executions that began with the release do not have it. */
type ReleasedChange =
  | "approval-of-senders"
  | "audit-ignored-signals"
  | "audit-outside-pauses"
  | "blocked-calls"
  | "blocked-parents"
  | "bounded-inbox"
  | "call-previews"
  | "cancelled-calls"
  | "decision-senders"
  | "early-reports"
  | "failed-records"
  | "hooks-after-continue-as-new"
  | "lane-tickets"
  | "limits-of-answers"
  | "message-after-cancel"
  | "message-senders"
  | "outages"
  | "outages-before-pauses"
  | "provider-outages"
  | "refused-starts"
  | "settled-pauses"
  | "shown-machines"
  | "stale-answers"
  | "stop-requests"
  | "unreadable-settings"
  | "wait-after-decision"

/** Undefined in workflows that are no agents. Each execution has its own copy of this module. */
let hasRelease: boolean | undefined

/**
 * Notes whether this execution of an agent began with that release. To be called before anything else in it: one marker then replaces one of each
 * change, and each marker is an additional write of the execution's search attributes.
 */
export const beginExecution = (isOfRelease: boolean): void => {
  hasRelease = isOfRelease
}

/** Returns whether this execution has a change: it began with the release that has them all, or with one that had this one, or has come to it. */
export const hasChange = (change: ReleasedChange): boolean => hasRelease === true || patched(change)
