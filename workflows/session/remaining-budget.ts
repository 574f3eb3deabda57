import { workflowInfo } from "@temporalio/workflow"
import { activeChildren, reservedByChildren, type Reserve } from "../../domain/limits/child-state.ts"
import { tighter } from "../../domain/limits/narrow-limits.ts"
import { countedTokens } from "../../domain/limits/usage-totals.ts"
import type { CountedUsage, RunSpending } from "../../domain/limits/run-spending.ts"
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

/** Returns what the run and its ended children used. */
const used = ({ state: { run } }: SessionContext) => ({
  microUsd: (run.usage.costMicroUsd ?? 0) + (run.childrenUsage.costMicroUsd ?? 0),
  tokens: countedTokens(run.usage) + countedTokens(run.childrenUsage),
})

/** Returns a budget without what the run and its ended children used and what is held for open children. */
const leftOf = (
  budget: Reserve,
  context: SessionContext,
  held = reservedByChildren(context.state.run.children),
): Reserve => {
  const { microUsd, tokens } = used(context)
  return {
    microUsd: remaining(budget.microUsd, microUsd + held.microUsd),
    tokens: remaining(budget.tokens, tokens + held.tokens),
  }
}

/** Whether the workflow was reset since the run was opened, to any point. */
export const wasReset = ({ state: { run } }: SessionContext): boolean =>
  run.execution !== undefined && run.execution !== workflowInfo().runId

/** Returns, for the activities of a run that was reset, what the workflow counts as used. The input of a command may depend on the execution. */
export const countedIfReset = (context: SessionContext): { readonly counted?: CountedUsage } => {
  if (!wasReset(context)) return {}
  const openChildren = activeChildren(context.state.run.children).map(({ id }) => id)
  return { counted: { ...used(context), openChildren } }
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
