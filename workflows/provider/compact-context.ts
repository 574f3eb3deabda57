import type { CallModelResult } from "../../activities/contract/call-model-result.ts"
import { activeChildren } from "../../domain/limits/child-state.ts"
import { addUsage } from "../../domain/limits/usage-totals.ts"
import { modelOptions, modelRetryOptions } from "../activity-options.ts"
import { countedIfReset, remainingBudget } from "../session/remaining-budget.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, withOutbox } from "../session/session-context.ts"
import { executeOnWorker } from "../placement/execute-on-worker.ts"
import { noteUnaffordable } from "./fall-back.ts"
import { noteRateLimit } from "./wait-for-rate.ts"
import { fallbackInUse, modelInUse } from "../session/model-in-use.ts"

/** After so many, the model is called whatever its context is: nothing can be left out of the conversation any more. */
const enough = 1_000

/** Returns how often the conversation was shortened for the model in use since the last answer. */
export const compactionsOf = (context: SessionContext): number => {
  const { compactions } = context.state.run
  return compactions?.model === modelInUse(context) ? compactions.count : 0
}

/** Makes the conversation shorter, because the step's model call does not fit. The step is taken again afterwards. */
export const compactContext = async (
  context: SessionContext,
  { isRefused }: Extract<CallModelResult, { kind: "needs-compaction" }>,
): Promise<void> => {
  const { state, settings } = context
  if (settings === null) throw new Error("a run steps before it was opened")
  const { run } = state
  const seq = state.headSeq + 1
  const children = new Set([...activeChildren(run.children).map(({ id }) => id), ...state.openSessions])
  const input = {
    ...runScope(context),
    step: run.stepsTaken,
    seq,
    isRefused,
    model: fallbackInUse(context) ?? state.modelOverride,
    budget: remainingBudget(context),
    ...countedIfReset(context),
    children: [...children],
    waitsSince: run.rateLimit?.since ?? null,
  }
  const offer = {
    options: run.outage == null ? modelOptions(settings.timing) : modelRetryOptions(settings.timing),
    summary: `step ${run.stepsTaken}: shorten the conversation`,
  }
  const result = await withOutbox(state, (outbox) =>
    executeOnWorker(context, offer, (activities) => activities.compact({ ...input, outbox })),
  )
  if (result.kind === "nothing-to-compact") {
    run.compactions = { model: modelInUse(context), count: enough }
    return
  }
  if (result.kind === "rate-limited") {
    noteRateLimit(context, result)
    return
  }
  run.usage = addUsage(run.usage, result.usage)
  if (result.kind === "budget-exhausted") {
    noteUnaffordable(context, result.reason)
    return
  }
  state.headSeq = seq
  run.compactions = { model: modelInUse(context), count: compactionsOf(context) + 1 }
  run.compacted = (run.compacted ?? 0) + 1
}
