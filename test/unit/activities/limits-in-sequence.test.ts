import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planChild } from "../../../sessions/settings/plan-child.ts"
import type { SettingsRequest } from "../../../sessions/settings/settings-request.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { narrowLimits } from "../../../domain/limits/narrow-limits.ts"
import { withSubagentTools } from "../../../domain/profiles/subagent-tools.ts"
import { isAllowedTool } from "../../../domain/tools/tool-names.ts"
import { expectLimitsWithin } from "../../helpers/limits/expect-limits-within.ts"
import { baseSnapshot } from "../client/client-fixture.ts"

const names = ["Read", "Write", "Bash", "Edit", "mcp__docs__search", "mcp__docs__write"]
const denied = "mcp__docs__write"

const root: RunSnapshot = {
  ...baseSnapshot,
  tools: ["Read", "Write", "Bash", "Edit", "mcp__docs__*"],
  delegation: "sessions",
  subagents: { ...baseSnapshot.subagents, maxSpawnDepth: 5, denyTools: [denied] },
}

const tools = fc.subarray(["Read", "Write", "Bash", "Edit", "mcp__docs__*", "mcp__docs__write", "mcp__web__*"])
const limits = {
  maxSteps: fc.integer({ min: 1, max: 256 }),
  timeoutSeconds: fc.nat({ max: 100 }),
}
const followUp = fc
  .record({
    tools,
    model: fc.constantFrom("main", "light"),
    approval: fc.oneof(fc.constantFrom("policy" as const, "all" as const), tools),
    limits: fc.record({ ...limits, budgetMicroUsd: fc.option(fc.nat()), budgetTokens: fc.option(fc.nat()) }),
    sandboxed: fc.boolean(),
  })
  .map((wish) => ({ kind: "follow-up" as const, wish }))
interface Spawn {
  readonly kind: "spawn"
  readonly request: Omit<SettingsRequest, "cwd">
  readonly parts: number
}

const spawn: fc.Arbitrary<Spawn> = fc
  .record({
    agent: fc.constantFrom("general", "explore", "plan"),
    model: fc.constantFrom("main", "light"),
    tools: fc.subarray(["Read", "Write", "Bash", "Edit", "mcp__docs__*", "mcp__docs__write"], { minLength: 1 }),
    ...limits,
    approval: fc.constantFrom("policy" as const, "all" as const),
    sandbox: fc.boolean(),
    parts: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ parts, ...request }) => ({ kind: "spawn", request: { ...request, subagent: {} }, parts }))
const created = followUp.map(({ wish }) => ({ kind: "create" as const, wish }))
const fork = fc.constant({ kind: "fork" as const })
const queued = fc.record({ kind: fc.constant("queued" as const), behind: fc.nat({ max: 3 }) })
const step = fc.record({ at: fc.nat({ max: 20 }), action: fc.oneof(followUp, spawn, created, fork, queued) })

/** A session: the settings of its runs, and its origin. */
interface Node {
  readonly runs: RunSnapshot[]
  readonly above: Node | null
  readonly isChild: boolean
}

const latest = (node: Node): RunSnapshot => node.runs.at(-1) ?? root

const childOf = (above: RunSnapshot, { request, parts }: Spawn): RunSnapshot => {
  const { budgetMicroUsd, budgetTokens } = above.limits
  const part = (total: number | null) => (total === null ? null : Math.floor(total / parts))
  const reserve = { microUsd: part(budgetMicroUsd), tokens: part(budgetTokens) }
  return planChild(above, request, {
    share: { reserve, timeLeftMs: 0 },
    allowsBinaryAgents: false,
    hasVariable: () => false,
    notes: [],
  })
}

type Action = typeof step extends fc.Arbitrary<infer Step extends { action: unknown }> ? Step["action"] : never

const act = (nodes: Node[], node: Node, action: Action): void => {
  const base = latest(node)
  switch (action.kind) {
    case "follow-up":
      node.runs.push(narrowLimits(base, { ...base, ...action.wish }).snapshot)
      return
    case "queued":
      // It was resolved with the settings that the session had some runs ago.
      node.runs.push(narrowLimits(base, node.runs.at(-1 - action.behind) ?? base).snapshot)
      return
    case "fork":
      nodes.push({ runs: [base], above: node, isChild: node.isChild })
      return
    case "spawn":
      nodes.push({ runs: [childOf(base, action)], above: node, isChild: true })
      return
    case "create": {
      const wanted = withSubagentTools({ ...root, ...action.wish }, base.subagents)
      nodes.push({ runs: [narrowLimits(base, wanted).snapshot], above: node, isChild: true })
    }
  }
}

const expectNothingWidened = (node: Node): void => {
  const lineage: RunSnapshot[] = []
  for (let above = node.above; above !== null; above = above.above)
    if (above.runs[0] !== undefined) lineage.push(above.runs[0])
  for (const [index, run] of node.runs.entries()) {
    for (const earlier of [...node.runs.slice(0, index), ...lineage]) expectLimitsWithin(run, earlier, names)
    if (node.isChild) expect(isAllowedTool(run, denied)).toBe(false)
  }
}

describe("limits, over any sequence of runs, sub-agents and forks", () => {
  it("only narrow", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const nodes: Node[] = [{ runs: [root], above: null, isChild: false }]
        for (const { at, action } of steps) {
          const node = nodes[at % nodes.length]
          if (node !== undefined) act(nodes, node, action)
        }
        for (const node of nodes) expectNothingWidened(node)
      }),
      { numRuns: 300 },
    )
  })
})
