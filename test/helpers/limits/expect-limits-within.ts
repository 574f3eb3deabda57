import { expect } from "vitest"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { isStrongerModel } from "../../../domain/models/model-choice.ts"
import { delegationToolsOf, isAllowedTool, toolListCovers } from "../../../domain/tools/tool-names.ts"
import { isStricter, runToolPolicy } from "../../../domain/approval/tool-policy.ts"
import { judgeSettings } from "../approval/call-facts.ts"

const isAtMost = (value: number | null, limit: number | null): boolean =>
  limit === null || (value !== null && value <= limit)

/** Returns whether a run's sub-agents may have a tool, as far as `tools.subagents` decides. */
export const mayGiveSubagents = (run: RunSnapshot, name: string): boolean =>
  !toolListCovers(run.subagents.denyTools, name) &&
  (run.subagents.allowTools.length === 0 || toolListCovers(run.subagents.allowTools, name))

const sandboxOrder = { off: 0, auto: 1, require: 2 } as const

/** Expects that `of` may do everything that a run may do. `names` are the tools that it is tried with. */
export const expectLimitsWithin = (run: RunSnapshot, of: RunSnapshot, names: readonly string[]): void => {
  const beyond = {
    tools: names.filter((name) => isAllowedTool(run, name) && !isAllowedTool(of, name)),
    subagentTools: names.filter((name) => mayGiveSubagents(run, name) && !mayGiveSubagents(of, name)),
    delegation: delegationToolsOf(run).filter((name) => !delegationToolsOf(of).includes(name)),
    environment: run.envAllow.filter((name) => !of.envAllow.includes(name)),
    policy: names.filter((name) => {
      const tool = { name, readOnly: false }
      return isStricter(runToolPolicy(tool, of), runToolPolicy(tool, run))
    }),
    unasked: [true, false].flatMap((readOnly) =>
      names.filter(
        (name) => judgeSettings({ name, readOnly }, run) === "run" && judgeSettings({ name, readOnly }, of) !== "run",
      ),
    ),
    maxSteps: run.limits.maxSteps > of.limits.maxSteps,
    timeout: !isAtMost(run.limits.timeoutSeconds || null, of.limits.timeoutSeconds || null),
    money: !isAtMost(run.limits.budgetMicroUsd, of.limits.budgetMicroUsd),
    tokens: !isAtMost(run.limits.budgetTokens, of.limits.budgetTokens),
    sandbox: sandboxOrder[run.sandbox] < sandboxOrder[of.sandbox] || (of.sandboxed && !run.sandboxed),
    never: of.never === "reject" && run.never !== "reject",
    cwd: !`${run.cwd}/`.startsWith(of.cwd === "/" ? "/" : `${of.cwd}/`),
    depth: run.subagents.maxSpawnDepth > of.subagents.maxSpawnDepth,
    children: run.subagents.maxChildrenPerAgent > of.subagents.maxChildrenPerAgent,
    model: isStrongerModel(run.model, of.model, { models: { ...of.models, ...run.models }, modelTiers: of.modelTiers }),
  }
  expect(Object.entries(beyond).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))).toEqual([])
}
