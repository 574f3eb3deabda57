import { reservedByChildren, type Reserve } from "../../domain/limits/child-state.ts"
import { tighter } from "../../domain/limits/narrow-limits.ts"
import { countedTokens } from "../../domain/limits/usage-totals.ts"
import type { RunSpending } from "../../domain/limits/run-spending.ts"
import { fallbackInUse } from "./model-in-use.ts"
import type { SessionContext } from "./session-context.ts"

const remaining = (total: number | null, used: number): number | null =>
  total === null ? null : Math.max(0, total - used)

const settingsBudget = ({ settings }: SessionContext): Reserve => ({
  microUsd: settings?.budgetMicroUsd ?? null,
  tokens: settings?.budgetTokens ?? null,
})

/** Returns the budget of the run: its own, within what the runs before it have left of the share. */
const budgetOf = (context: SessionContext): Reserve => {
  const { budget, shareLeft } = context.state.run
  const { microUsd, tokens } = budget ?? settingsBudget(context)
  return {
    microUsd: tighter(microUsd, shareLeft?.microUsd ?? null),
    tokens: tighter(tokens, shareLeft?.tokens ?? null),
  }
}

const nothing: { readonly [Part in keyof Reserve]: number } = { microUsd: 0, tokens: 0 }

/** Returns a budget without what the run and its ended children used and what is held for open children. */
const leftOf = (
  budget: Reserve,
  { state: { run } }: SessionContext,
  held = reservedByChildren(run.children),
): Reserve => {
  const spentMicroUsd = (run.usage.costMicroUsd ?? 0) + (run.childrenUsage.costMicroUsd ?? 0)
  return {
    microUsd: remaining(budget.microUsd, spentMicroUsd + held.microUsd),
    tokens: remaining(budget.tokens, countedTokens(run.usage) + countedTokens(run.childrenUsage) + held.tokens),
  }
}

/** Returns what the run leaves to one that takes its open children over, with what is reserved for them. */
export const sharedBudget = (context: SessionContext): Reserve => leftOf(budgetOf(context), context, nothing)

/** Returns what the run can still spend. */
export const remainingBudget = (context: SessionContext): Reserve => leftOf(budgetOf(context), context)

/** Returns what the run has left of the share of a sub-agent for the next one. */
export const nextShare = (context: SessionContext): { readonly shareLeft?: Reserve } => {
  const { shareLeft } = context.state.run
  return shareLeft === undefined ? {} : { shareLeft: leftOf(shareLeft, context) }
}

/** Returns the budget of the run if it is not that of its settings. */
const changedBudget = (context: SessionContext): Pick<RunSpending, "budget"> => {
  const budget = budgetOf(context)
  const { microUsd, tokens } = settingsBudget(context)
  const isOwn = context.state.run.budget == null && budget.microUsd === microUsd && budget.tokens === tokens
  return isOwn ? {} : { budget }
}

/** Returns what the run has used besides its own model calls, and the fallback model that makes these. */
export const spendingOf = (context: SessionContext): RunSpending => {
  const { state, clock } = context
  const { childrenUsage, ranMs, compacted } = state.run
  const fallback = fallbackInUse(context)
  return {
    ranMs: clock?.ranMs() ?? ranMs,
    childrenMicroUsd: childrenUsage.costMicroUsd,
    childrenTokens: countedTokens(childrenUsage),
    ...(compacted === undefined ? {} : { compacted }),
    ...changedBudget(context),
    ...(fallback === undefined ? {} : { fallback }),
  }
}
