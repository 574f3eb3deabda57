import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type ChildShare, limitsWithinShare } from "../../domain/limits/child-share.ts"
import { findProfile } from "../../domain/profiles/builtin-profiles.ts"
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

/** Narrows settings whose budgets are within the child's share: that limits them already, and the parent's initial budgets do not apply. */
const narrowToParent = (parent: RunSnapshot, wanted: RunSnapshot): RunSnapshot => {
  const { budgetMicroUsd, budgetTokens } = wanted.limits
  return narrowChild({ ...parent, limits: { ...parent.limits, budgetMicroUsd, budgetTokens } }, wanted)
}

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
    inheritsUnconfined: parent.unconfined === true,
    // The sandbox of a task is also that of its sub-agents.
    ...(parent.taskSandbox === true ? { subagent: { ...request.subagent, taskSandbox: true } } : {}),
  }
  const planned = planSettings(inherited, callerOrigin(parent, allowsBinaryAgents), facts)
  const wanted = { ...planned, limits: limitsWithinShare(planned.limits, share) }
  const snapshot = narrowToParent(parent, wanted)
  requirePrice(snapshot)
  return snapshot
}

/**
 * Plans the settings of another run of a child that has ended: those of its latest run, with a new share of the parent's budget (at most the budget of
 * its profile), within the parent's remaining time. They are narrowed to the parent's, which a message may have narrowed since the child started.
 * @throws AdjutantError `key_missing`, as `narrowChild` does
 */
export const planRestart = (parent: RunSnapshot, latest: RunSnapshot, share: ChildShare): RunSnapshot => {
  const profile = findProfile(latest.agent, parent.agents)
  const limits = { ...latest.limits, ...budgetsOf(profile?.type === "llm" ? profile : {}) }
  return narrowToParent(parent, { ...latest, context: undefined, limits: limitsWithinShare(limits, share) })
}
