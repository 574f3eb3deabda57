import { reservedByChildren, type Reserve } from "../../domain/limits/child-state.ts"
import { countedTokens } from "../../domain/limits/usage-totals.ts"
import type { RunSpending } from "../../domain/limits/run-spending.ts"
import { fallbackInUse } from "../provider/model-in-use.ts"
import type { SessionContext } from "./session-context.ts"

const remaining = (total: number | null, used: number): number | null =>
  total === null ? null : Math.max(0, total - used)

/** Returns what the run can still spend: its budget, without what it and its ended children used and what is reserved for open children. */
export const remainingBudget = (context: SessionContext): Reserve => {
  const { run } = context.state
  const budget = run.budget ?? {
    microUsd: context.settings?.budgetMicroUsd ?? null,
    tokens: context.settings?.budgetTokens ?? null,
  }
  const held = reservedByChildren(run.children)
  const spentMicroUsd = (run.usage.costMicroUsd ?? 0) + (run.childrenUsage.costMicroUsd ?? 0)
  return {
    microUsd: remaining(budget.microUsd, spentMicroUsd + held.microUsd),
    tokens: remaining(budget.tokens, countedTokens(run.usage) + countedTokens(run.childrenUsage) + held.tokens),
  }
}

/** Returns what the run has used besides its own model calls, and the fallback model that makes these. */
export const spendingOf = (context: SessionContext): RunSpending => {
  const { state, clock } = context
  const { childrenUsage, budget, ranMs, compacted } = state.run
  const fallback = fallbackInUse(context)
  return {
    ranMs: clock?.ranMs() ?? ranMs,
    childrenMicroUsd: childrenUsage.costMicroUsd,
    childrenTokens: countedTokens(childrenUsage),
    ...(compacted === undefined ? {} : { compacted }),
    ...(budget == null ? {} : { budget }),
    ...(fallback === undefined ? {} : { fallback }),
  }
}
