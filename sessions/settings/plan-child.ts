import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type ChildShare, limitsWithinShare } from "../../domain/limits/child-share.ts"
import { narrowChild } from "./narrow-child.ts"
import { planSettings, type SettingsFacts } from "./plan-settings.ts"
import { requirePrice } from "./require-price.ts"
import { callerOrigin } from "./settings-origin.ts"
import type { SettingsRequest } from "./settings-request.ts"

export interface ChildFacts extends SettingsFacts {
  readonly share: ChildShare
  /** The worker's `security.allowBinaryAgents`. */
  readonly allowsBinaryAgents: boolean
}

/**
 * Plans the settings of a child that a run starts: those of `planSettings`, resolved from the parent's settings, and never more than the parent
 * has. A budget is at most the share that is reserved for the child.
 * @throws AdjutantError of `planSettings`
 */
export const planChild = (
  parent: RunSnapshot,
  request: Omit<SettingsRequest, "cwd">,
  { share, allowsBinaryAgents, ...facts }: ChildFacts,
): RunSnapshot => {
  const inherited = { ...request, cwd: parent.cwd, sandbox: parent.sandboxed || request.sandbox === true }
  const planned = planSettings(inherited, callerOrigin(parent, allowsBinaryAgents), facts)
  const wanted = { ...planned, limits: limitsWithinShare(planned.limits, share) }
  const { budgetMicroUsd, budgetTokens } = wanted.limits
  // Budgets were shared out before: what the parent had at its start is not what it has left.
  const base = { ...parent, limits: { ...parent.limits, budgetMicroUsd, budgetTokens } }
  const snapshot = narrowChild(base, wanted)
  requirePrice(snapshot)
  return snapshot
}
