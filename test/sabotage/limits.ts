import type { Fault } from "../../scripts/sabotage/fault.ts"

export const limits: readonly Fault[] = [
  {
    name: "a child without a time limit of its own is not bound by that of its parent",
    file: "domain/limits/child-share.ts",
    find: "wantedSeconds === 0 ? left :",
    replace: "wantedSeconds === 0 ? 0 :",
  },
  {
    name: "the absence of a time limit counts as the shortest one",
    file: "domain/limits/limit-values.ts",
    find: "value === null || value === undefined || value === termsOf(name).none",
    replace: "value === null || value === undefined",
  },
  {
    name: "a child leaves the sandbox that its parent is confined to",
    file: "domain/limits/narrow-limits.ts",
    find: "base.sandboxed || wanted.sandboxed",
    replace: "wanted.sandboxed",
  },
  {
    name: "two lists of allowed tools without a common one allow those of the first",
    file: "domain/limits/narrow-limits.ts",
    find: `...(nothingLeft ? ["*"] : [])`,
    replace: "",
  },
  {
    name: "a child is not bound by the policies that its parent inherited",
    file: "domain/limits/narrow-limits.ts",
    find: "[...wanted.inheritedPolicies, base.policy, ...base.inheritedPolicies]",
    replace: "[...wanted.inheritedPolicies, base.policy]",
  },
  {
    name: "calls that run now do not count against the daily limit",
    file: "domain/limits/daily-limits.ts",
    find: "used + reserved + call",
    replace: "used + Math.max(reserved, call)",
  },
  {
    name: "the budget of a paused child is given to the next one",
    file: "domain/limits/child-state.ts",
    find: `child.status !== "ended"`,
    replace: `child.status === "running"`,
  },
  {
    name: "a call with a long prompt is planned with the price of a short one",
    file: "domain/limits/usage-cost.ts",
    find: "? [price, price.longPrompt] : [price]",
    replace: "? [price] : [price]",
  },
  {
    name: "a model without a price fits into every budget",
    file: "domain/limits/usage-cost.ts",
    find: "if (price === null) return 0",
    replace: "if (price === null) return byTokens",
  },
  {
    name: "a message raises limits that did not end the run",
    file: "domain/limits/raise-limit.ts",
    find: "(endedBy[stopReason] ?? [])",
    replace: "Object.values(endedBy).flat()",
  },
  {
    name: "a later call takes the slot of a provider from the first in the queue",
    file: "domain/limits/provider/plan-call.ts",
    find: "calling.length + before < concurrent",
    replace: "calling.length < concurrent",
  },
  {
    name: "a short refusal of a provider shortens a longer one",
    file: "domain/limits/provider/provider-limits.ts",
    find: "Math.max(use.blockedUntilMs, untilMs)",
    replace: "untilMs",
  },
  {
    name: "a fallback model that is named by its id may be stronger than the run's own",
    file: "domain/models/fallback-models.ts",
    find: "isStrongerModel(resolveModelName(name, run.models) ?? name, base.model, run)",
    replace: "isStrongerModel(name, base.model, run)",
    triedFirst: "test/unit/domain/models/fallback-models.test.ts",
  },
  {
    name: "a call of the last answer runs, after the steps are used up",
    file: "activities/model/conclude-turn.ts",
    find: "input.isLast === true ? lastAnswerProblem : undefined",
    replace: "undefined",
    triedFirst: "test/workflow/run.test.ts",
  },
  {
    name: "a run whose last answer is a text is completed, although its steps ended it",
    file: "domain/run/next-step.ts",
    find: 'if (position.stepsEnd === "answered") return outOfSteps',
    replace: "",
  },
]
