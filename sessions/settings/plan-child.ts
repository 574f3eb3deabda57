import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { narrowApproval } from "../../domain/approval/narrow-approval.ts"
import { type ChildShare, limitsWithinShare } from "../../domain/limits/child-share.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import { budgetsOf } from "./fields/resolve-limits.ts"
import { narrowChild } from "./narrow-child.ts"
import { planSettings, type SettingsFacts } from "./plan-settings.ts"
import { requirePrice } from "./fields/require-price.ts"
import { callerOrigin } from "./settings-origin.ts"
import type { SettingsRequest } from "./settings-request.ts"

export interface ChildFacts extends SettingsFacts {
  readonly share: ChildShare
  /** The worker's `security.allowBinaryAgents`. */
  readonly allowsBinaryAgents: boolean
}

/** A child without a worktree of its own works where its parent works. */
const worktreeOf = (
  { worktree }: RunSnapshot,
  request: Omit<SettingsRequest, "cwd">,
): Pick<SettingsRequest, "worktree">["worktree"] =>
  request.worktree ?? (worktree === undefined ? undefined : { ...worktree, isOwn: false })

/**
 * Plans the settings of a child that a run starts: those of `planSettings`, resolved from the parent's settings and narrowed to them. A budget is at most
 * the share that is reserved for the child.
 * @throws AdjutantError of `planSettings`
 */
export const planChild = (
  parent: RunSnapshot,
  request: Omit<SettingsRequest, "cwd">,
  { share, allowsBinaryAgents, ...facts }: ChildFacts,
): RunSnapshot => {
  const inherited = {
    ...request,
    cwd: parent.cwd,
    worktree: worktreeOf(parent, request),
    sandbox: parent.sandboxed || request.sandbox === true,
  }
  const planned = planSettings(inherited, callerOrigin(parent, allowsBinaryAgents), facts)
  const wanted = { ...planned, limits: limitsWithinShare(planned.limits, share) }
  const { budgetMicroUsd, budgetTokens } = wanted.limits
  // The share already limits the budgets; the parent's initial budgets do not apply.
  const base = { ...parent, limits: { ...parent.limits, budgetMicroUsd, budgetTokens } }
  const snapshot = narrowChild(base, wanted)
  requirePrice(snapshot)
  return snapshot
}

/**
 * Plans the settings of another run of a child that has ended: those of its latest run, with a new share of the parent's budget (at most the budget of
 * its profile), within the parent's remaining time, and with at most the parent's approval.
 */
export const planRestart = (parent: RunSnapshot, latest: RunSnapshot, share: ChildShare): RunSnapshot => {
  const profile = findProfile(latest.agent, parent.agents)
  const limits = { ...latest.limits, ...budgetsOf(profile?.type === "llm" ? profile : {}) }
  return {
    ...latest,
    context: undefined,
    approval: narrowApproval(parent.approval, latest.approval),
    limits: limitsWithinShare(limits, share),
  }
}
