import type { StopReason } from "../../contracts/status.ts"
import { isSilentReply } from "../../domain/delegation/silent-reply.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { finalStatusOf } from "../../domain/run/final-status-of.ts"
import { usageSince } from "../../domain/limits/usage-totals.ts"
import { recordMissedOutcome } from "../../sessions/outcome/record-missed-outcome.ts"
import { missedOutcome } from "../../sessions/rows/run-outcome.ts"
import { recordOutcome } from "../../sessions/outcome/record-outcome.ts"
import type { Tracer } from "../../sessions/tracer.ts"
import type { Store } from "../../store/store.ts"
import type { DelegationActivities, SettleChildInput } from "../contract/delegation-activities.ts"
import { treeUsage } from "../limits/tree-usage.ts"

const missingReason: Readonly<Record<SettleChildInput["engine"], StopReason>> = {
  completed: "error",
  failed: "error",
  cancelled: "cancelled",
  terminated: "terminated",
  timed_out: "timeout",
}

type SettledStore = Pick<Store, "sessions" | "runs" | "messages" | "pauses" | "usage" | "transaction">

/**
 * Records how a run of a child ended that could not do so itself, and returns whether it did. Another run of the session, such as one of a restored store, is left as it is; a run
 * that was never opened is only the latest one of its session.
 */
const recordMissing = async (store: SettledStore, { childId, runId, engine }: SettleChildInput): Promise<boolean> => {
  const row = await store.sessions.get(childId)
  const run = await store.runs.get(runId)
  if (row === undefined || run?.sessionId !== childId || isFinal(run.status)) return false
  const stopReason = missingReason[engine]
  const missing = {
    status: finalStatusOf(stopReason),
    stopReason,
    error: { code: stopReason, message: `the sub-agent ended in Temporal: ${engine}` },
  }
  const isCurrent = row.runId === runId || (await store.runs.latest(childId))?.runId === runId
  if (isCurrent) {
    await recordMissedOutcome(store, { ...row, runId, shown: row.runId }, missing)
    return true
  }
  const outcome = await missedOutcome(store, { row, run }, missing)
  await recordOutcome(store, { ...outcome, sessionId: childId, runId, stepsTaken: run.stepsTaken, session: null })
  return true
}

/** Creates the activity that returns the outcome of a child. It records the outcome if the child could not, such as after a termination. */
export const createSettleChild =
  (store: SettledStore, tracer?: Pick<Tracer, "trace">): DelegationActivities["settleChild"] =>
  async (input) => {
    const { childId, runId, engine, usedBefore } = input
    if (await recordMissing(store, input)) tracer?.trace(childId, runId)
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
