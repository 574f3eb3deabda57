import type { StopReason } from "../../contracts/status.ts"
import { isSilentReply } from "../../domain/delegation/silent-reply.ts"
import { isFinal } from "../../domain/is-final.ts"
import { addUsage, noUsage, type UsageTotals } from "../../domain/usage-totals.ts"
import type { Store } from "../../store/store.ts"
import type { DelegationActivities, SettleChildInput } from "../delegation-activities.ts"
import { mendSession } from "../mend-session.ts"
import { turnUsage } from "../turn-usage.ts"

const missingReason: Readonly<Record<SettleChildInput["engine"], StopReason>> = {
  completed: "error",
  failed: "error",
  cancelled: "cancelled",
  terminated: "terminated",
  timed_out: "timeout",
}

/** Everything that a session and those below it have used. */
const treeUsage = async (store: Store, sessionId: string): Promise<UsageTotals> => {
  let sum = addUsage(noUsage, turnUsage(await store.usage.total({ sessionId })))
  for (let cursor: string | undefined, more = true; more;) {
    const page = await store.sessions.list({
      parentId: sessionId,
      includeArchived: true,
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const child of page.items) sum = addUsage(sum, await treeUsage(store, child.id))
    cursor = page.nextCursor ?? undefined
    more = cursor !== undefined
  }
  return sum
}

/** What came of a child: its recorded outcome, or the one that nobody could record because it was terminated. */
export const createSettleChild =
  (store: Store): DelegationActivities["settleChild"] =>
  async ({ childId, runId, engine }) => {
    const row = await store.sessions.get(childId)
    const run = await store.runs.get(runId)
    if (row !== undefined && run !== undefined && !isFinal(run.status)) {
      const stopReason = missingReason[engine]
      await mendSession(store, row, {
        status: stopReason === "cancelled" ? "cancelled" : stopReason === "timeout" ? "timed_out" : "failed",
        stopReason,
        error: { code: stopReason, message: `the sub-agent ended in Temporal: ${engine}` },
      })
    }
    const ended = await store.runs.get(runId)
    const stopReason = ended?.stopReason ?? missingReason[engine]
    return {
      stopReason,
      usage: await treeUsage(store, childId),
      isSilent: stopReason === "cancelled" || isSilentReply(ended?.finalMessage ?? ""),
    }
  }
