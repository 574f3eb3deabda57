import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Limits } from "../../contracts/run/limit-schemas.ts"
import type { LimitName } from "../../contracts/run/run-limits.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { limitFields } from "../../domain/limits/limit-values.ts"
import { raisedLimits } from "../../domain/limits/raise-limit.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import type { SessionRow } from "../../store/store.ts"
import { requireApprover } from "../authority/require-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requirePrice } from "../settings/fields/require-price.ts"
import { limitsWith } from "../settings/fields/resolve-limits.ts"
import { latestSnapshot, parentSnapshot } from "../settings/resolve-follow-up.ts"
import type { SendRequest } from "../send-request.ts"

/**
 * Requires that no sub-agent gets more than its parent has reserved for it: the parent may spend the rest itself.
 * @throws AdjutantError `limit_widened`
 */
const requireOwnBudget = async (
  context: SessionsContext,
  row: SessionRow,
  names: readonly LimitName[],
): Promise<void> => {
  const parent = await parentSnapshot(context, row.parentId)
  const shared = parent === undefined ? [] : names.filter((name) => parent.limits[name] !== null)
  if (shared.length === 0) return
  const fields = shared.map((name) => limitFields[name]).join(" and ")
  throw new AdjutantError(
    "limit_widened",
    `${row.id} works with its share of the budget of ${row.parentId}, so its ${fields} cannot be raised: cancel it, and ${row.parentId} continues with what it has done`,
  )
}

/** Returns the limits of a run with the budget that an earlier answer has given it. */
const currentLimits = async (
  { store }: SessionsContext,
  { runId }: Pick<SessionRow, "runId">,
  { limits }: Pick<RunSnapshot, "limits">,
): Promise<Limits> => {
  const budget = runId === null ? undefined : (await store.runs.get(runId))?.spending?.budget
  return budget === undefined ? limits : { ...limits, budgetMicroUsd: budget.microUsd, budgetTokens: budget.tokens }
}

/** Returns the budget in an answer to an input pause. The workflow applies it only if the run paused because its budget was used up. */
export const budgetRaise = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<Pick<SessionMessage, "budget">> => {
  const { budget_usd, budget_tokens } = request.limits ?? {}
  if (budget_usd === undefined && budget_tokens === undefined) return {}
  const snapshot = await latestSnapshot(context, row)
  const current = await currentLimits(context, row, snapshot)
  const wanted = limitsWith({ budget_usd, budget_tokens }, (name) => current[name])
  const raised = raisedLimits(current, wanted, "budget")
  if (raised.length > 0) {
    requireApprover(request.actor, "a higher budget")
    await requireOwnBudget(context, row, raised)
  }
  if (budget_usd !== undefined) requirePrice({ ...snapshot, limits: wanted })
  return { budget: { micro_usd: wanted.budgetMicroUsd, tokens: wanted.budgetTokens } }
}
