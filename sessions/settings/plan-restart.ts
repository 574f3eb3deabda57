import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { narrowApproval } from "../../domain/approval/narrow-approval.ts"
import { type ChildShare, limitsWithinShare } from "../../domain/limits/child-share.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import { budgetsOf } from "./resolve-limits.ts"

/**
 * Plans the settings of another run of a child that had ended: those of its latest run, with a new share of the parent's budget (at most what
 * its profile may spend), within the parent's remaining time, and with no more approval than the parent has.
 */
export const planRestart = (parent: RunSnapshot, latest: RunSnapshot, share: ChildShare): RunSnapshot => {
  const profile = findProfile(latest.agent, parent.agents)
  const limits = { ...latest.limits, ...budgetsOf(profile?.type === "llm" ? profile : {}) }
  return {
    ...latest,
    approval: narrowApproval(parent.approval, latest.approval),
    limits: limitsWithinShare(limits, share),
  }
}
