import type { Limits } from "../../contracts/run/limit-schemas.ts"
import { limitNames, termsOf } from "../../contracts/run/run-limits.ts"
import type { RunSnapshot, RunSubagents } from "../../contracts/run-snapshot.ts"
import { approvesMore, narrowApproval } from "../approval/narrow-approval.ts"
import { stricterSandbox } from "../approval/process-sandbox.ts"
import { narrowFallbacks } from "../models/fallback-models.ts"
import { eachLimit, limitText, tighterLimit } from "./limit-values.ts"
import { narrowChoices, widerChoices } from "./run-choices.ts"
import { isStrongerModel } from "../models/model-choice.ts"
import { isInside } from "../workspace/is-inside.ts"
import { delegationToolsOf, intersectTools, toolListCovers } from "../tools/tool-names.ts"

/** Settings that were narrowed to the limits of another run. */
export interface Narrowed {
  /** The requested settings, narrowed to what the base allows. */
  readonly snapshot: RunSnapshot
  /** What the requested settings would have widened, as texts for people; empty if they only narrow. Policies have no entry: they add up. */
  readonly widened: readonly string[]
}

/** Returns the smaller limit; null means no limit. */
export const tighter = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : Math.min(left, right)

const narrowLimitNumbers = (base: Limits, wanted: Limits): Limits =>
  eachLimit((name) => tighterLimit(name, base[name], wanted[name]))

const narrowDelegationTools = (base: RunSnapshot, wanted: RunSnapshot): RunSnapshot["delegationTools"] => {
  if (base.delegationTools === null && wanted.delegationTools === null) return null
  const allowed = delegationToolsOf(base)
  return delegationToolsOf(wanted).filter((name) => allowed.includes(name))
}

/**
 * Narrows the settings for sub-agents. Two allow lists may have no tool in common. The result cannot be an empty list, because an empty list allows
 * everything: in this case, every tool is denied.
 */
const narrowSubagents = (base: RunSubagents, wanted: RunSubagents): RunSubagents => {
  const isRestrictedTwice = base.allowTools.length > 0 && wanted.allowTools.length > 0
  const shared = isRestrictedTwice
    ? intersectTools(base.allowTools, wanted.allowTools)
    : [...base.allowTools, ...wanted.allowTools]
  const nothingLeft = isRestrictedTwice && shared.length === 0
  return {
    ...wanted,
    maxSpawnDepth: Math.min(base.maxSpawnDepth, wanted.maxSpawnDepth),
    maxChildrenPerAgent: Math.min(base.maxChildrenPerAgent, wanted.maxChildrenPerAgent),
    allowTools: [...(nothingLeft ? base.allowTools : shared)],
    denyTools: [...new Set([...base.denyTools, ...wanted.denyTools, ...(nothingLeft ? ["*"] : [])])],
  }
}

const sameRules = (left: RunSnapshot["policy"], right: RunSnapshot["policy"]): boolean =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([pattern, mode]) => Object.hasOwn(right, pattern) && right[pattern] === mode)

const inheritPolicies = (base: RunSnapshot, wanted: RunSnapshot): RunSnapshot["inheritedPolicies"] =>
  [...wanted.inheritedPolicies, base.policy, ...base.inheritedPolicies].filter(
    (rules, index, all) =>
      !sameRules(rules, wanted.policy) && all.findIndex((other) => sameRules(other, rules)) === index,
  )

const widenedBy = (base: RunSnapshot, wanted: RunSnapshot, allowed: RunSnapshot): readonly string[] => {
  const extraTools = wanted.tools.filter((name) => !toolListCovers(base.tools, name))
  const extraDelegation = (wanted.delegationTools ?? []).filter((name) => !delegationToolsOf(base).includes(name))
  const extra = [...extraTools, ...extraDelegation]
  const texts: string[] = []
  if (extra.length > 0) texts.push(`tools: ${extra.join(", ")}`)
  for (const name of limitNames)
    if (wanted.limits[name] !== allowed.limits[name]) {
      const [asked, most] = [limitText(name, wanted.limits[name]), limitText(name, base.limits[name])]
      texts.push(`${termsOf(name).option}: ${asked} is more than ${most}`)
    }
  texts.push(...widerChoices(wanted, allowed))
  if (approvesMore(base.approval, wanted.approval)) texts.push("auto_approve: more calls would run without approval")
  if (wanted.never !== allowed.never) texts.push("never: a refused tool could be approved")
  if (wanted.sandboxed !== allowed.sandboxed || wanted.sandbox !== allowed.sandbox)
    texts.push("sandbox: the session is confined")
  if (wanted.unconfined !== allowed.unconfined) texts.push("sandbox: the session does not run commands without one")
  if (wanted.model !== allowed.model)
    texts.push(`model: ${wanted.model} is in a higher tier than ${base.model} in modelTiers`)
  if (wanted.cwd !== allowed.cwd) texts.push(`cwd: ${wanted.cwd} is outside ${base.cwd}`)
  if (wanted.delegation !== allowed.delegation) texts.push(`delegation: ${wanted.delegation}`)
  const environment = wanted.envAllow.filter((name) => !base.envAllow.includes(name))
  if (environment.length > 0) texts.push(`envAllow: ${environment.join(", ")}`)
  if (wanted.subagents.maxSpawnDepth !== allowed.subagents.maxSpawnDepth) texts.push("subagents.maxSpawnDepth")
  if (wanted.subagents.maxChildrenPerAgent !== allowed.subagents.maxChildrenPerAgent)
    texts.push("subagents.maxChildrenPerAgent")
  return texts
}

/**
 * Narrows the requested settings of a run (of a child, or of a later message) to what `base` (the parent's run, or the session's) allows, and returns what
 * they would have widened. Budgets are compared as numbers; the caller accounts for the part that is used up.
 */
export const narrowLimits = (base: RunSnapshot, wanted: RunSnapshot): Narrowed => {
  const baseModel = base.models[base.model]
  const isTooStrong = isStrongerModel(wanted.model, base.model, {
    ...base,
    models: { ...base.models, ...wanted.models },
  })
  const models = isTooStrong && baseModel !== undefined ? { ...wanted.models, [base.model]: baseModel } : wanted.models
  const snapshot: RunSnapshot = {
    ...wanted,
    model: isTooStrong ? base.model : wanted.model,
    models: narrowFallbacks(base, models),
    tools: [...intersectTools(base.tools, wanted.tools)],
    deniedTools: [...new Set([...base.deniedTools, ...wanted.deniedTools])],
    delegationTools: narrowDelegationTools(base, wanted),
    inheritedPolicies: inheritPolicies(base, wanted),
    never: base.never === "reject" ? "reject" : wanted.never,
    approval: narrowApproval(base.approval, wanted.approval),
    ...narrowChoices(base, wanted),
    limits: narrowLimitNumbers(base.limits, wanted.limits),
    sandbox: stricterSandbox(wanted.sandbox, base.sandbox),
    sandboxed: base.sandboxed || wanted.sandboxed,
    unconfined: base.unconfined === true && wanted.unconfined === true ? true : undefined,
    ...(base.taskSandbox === true ? { taskSandbox: true } : {}),
    cwd: isInside(base.cwd, wanted.cwd) ? wanted.cwd : base.cwd,
    worktree: wanted.worktree ?? base.worktree,
    envAllow: wanted.envAllow.filter((name) => base.envAllow.includes(name)),
    delegation: wanted.delegation === base.delegation ? wanted.delegation : "none",
    subagents: narrowSubagents(base.subagents, wanted.subagents),
  }
  return { snapshot, widened: widenedBy(base, wanted, snapshot) }
}
