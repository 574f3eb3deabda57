import type { StopReason } from "../../contracts/status.ts"
import { isSilentReply } from "../../domain/delegation/text/silent-reply.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { statusOf } from "../../domain/run/status-of.ts"
import { usageSince } from "../../domain/limits/usage-totals.ts"
import { recordMissedOutcome } from "../../sessions/outcome/record-missed-outcome.ts"
import type { Store } from "../../store/store.ts"
import type { DelegationActivities, SettleChildInput } from "../contract/delegation-activities.ts"
import { treeUsage } from "./tree-usage.ts"

const missingReason: Readonly<Record<SettleChildInput["engine"], StopReason>> = {
  completed: "error",
  failed: "error",
  cancelled: "cancelled",
  terminated: "terminated",
  timed_out: "timeout",
}

/** Creates the activity that returns the outcome of a child. It records the outcome if the child could not, such as after a termination. */
export const createSettleChild =
  (
    store: Pick<Store, "sessions" | "runs" | "messages" | "pauses" | "usage" | "transaction">,
  ): DelegationActivities["settleChild"] =>
  async ({ childId, runId, engine, usedBefore }) => {
    const row = await store.sessions.get(childId)
    const run = await store.runs.get(runId)
    if (row !== undefined && run !== undefined && !isFinal(run.status)) {
      const stopReason = missingReason[engine]
      await recordMissedOutcome(store, row, {
        status: statusOf(stopReason),
        stopReason,
        error: { code: stopReason, message: `the sub-agent ended in Temporal: ${engine}` },
      })
    }
    const ended = await store.runs.get(runId)
    const stopReason = ended?.stopReason ?? missingReason[engine]
    const usedSoFar = await treeUsage(store, childId)
    return {
      stopReason,
      usage: usedBefore === undefined ? usedSoFar : usageSince(usedSoFar, usedBefore),
      usedSoFar,
      isSilent: stopReason === "cancelled" || isSilentReply(ended?.finalMessage ?? ""),
    }
  }
