import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { PolicyMode } from "../../../../contracts/approval/run-policy.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import { narrowLimits } from "../../../../domain/limits/narrow-limits.ts"
import { toolListCovers } from "../../../../domain/tools/tool-names.ts"
import { expectLimitsWithin, mayGiveSubagents } from "../../../helpers/limits/expect-limits-within.ts"

const spec = (model: string) => ({ provider: "scripted" as const, model, maxOutputTokens: 1, price: null })
const models = { strong: spec("s"), middle: spec("m"), weak: spec("w"), other: spec("o") }

const base: RunSnapshot = {
  agent: "general",
  type: "llm",
  execution: { type: "llm" },
  systemPrompt: "",
  model: "middle",
  models,
  modelTiers: [["strong"], ["middle"], ["weak"]],
  tools: ["Read", "Grep", "mcp__docs__*"],
  delegationTools: null,
  policy: {},
  inheritedPolicies: [],
  never: "pause",
  approval: "policy",
  pauseOnText: false,
  limits: { maxSteps: 30, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: null },
  sandbox: "auto",
  sandboxed: false,
  cwd: "/project",
  envAllow: ["PATH", "HOME"],
  delegation: "sessions",
  subagents: { ...configSchema.parse({}).subagents, denyTools: [], allowTools: [] },
  agents: {},
  deniedTools: [],
  mcpServers: {},
  hooks: {},
  webhooks: [],
  publicUrl: "http://127.0.0.1:7420",
  timing: configSchema.parse({}).timing,
  compaction: configSchema.parse({}).compaction,
}

const toolNames = ["Read", "Grep", "Bash", "mcp__docs__a", "mcp__docs__*", "mcp__web__*"] as const
const delegationNames = ["Task", "sessions_spawn", "dynamic_subagent_task"] as const
const policy = fc.dictionary(
  fc.constantFrom("Read", "Bash", "B*", "mcp__*", "*"),
  fc.constantFrom<PolicyMode>("auto", "prompt", "never"),
)
const limit = fc.option(fc.integer({ min: 1, max: 100 }))
const patterns = fc.subarray(["Read", "Bash", "B*", "*"])
const snapshot: fc.Arbitrary<RunSnapshot> = fc
  .record({
    model: fc.constantFrom("strong", "middle", "weak", "other"),
    tools: fc.subarray([...toolNames]),
    delegationTools: fc.option(fc.subarray([...delegationNames])),
    policy,
    inheritedPolicies: fc.array(policy, { maxLength: 2 }),
    never: fc.constantFrom("pause" as const, "reject" as const),
    approval: fc.oneof(fc.constantFrom("policy" as const, "all" as const), fc.subarray([...toolNames])),
    limits: fc.record({
      maxSteps: fc.integer({ min: 1, max: 256 }),
      timeoutSeconds: fc.nat({ max: 100 }),
      budgetMicroUsd: limit,
      budgetTokens: limit,
    }),
    sandbox: fc.constantFrom("off" as const, "auto" as const, "require" as const),
    sandboxed: fc.boolean(),
    cwd: fc.constantFrom("/project", "/project/a", "/projects", "/"),
    envAllow: fc.subarray(["PATH", "HOME", "LANG"]),
    delegation: fc.constantFrom("task" as const, "tasks" as const, "sessions" as const, "none" as const),
    depth: fc.integer({ min: 1, max: 5 }),
    children: fc.integer({ min: 1, max: 20 }),
    denyTools: patterns,
    allowTools: patterns,
  })
  .map(({ depth, children, denyTools, allowTools, ...rest }) => ({
    ...base,
    ...rest,
    subagents: { ...base.subagents, maxSpawnDepth: depth, maxChildrenPerAgent: children, denyTools, allowTools },
  }))

const concrete = ["Read", "Grep", "Bash", "mcp__docs__a", "mcp__docs__b", "mcp__web__x"]
const expectWithin = (run: RunSnapshot, of: RunSnapshot): void => expectLimitsWithin(run, of, concrete)
const mayHave = mayGiveSubagents

describe("narrowLimits", () => {
  it("never gives a run what its base does not have", () => {
    fc.assert(fc.property(snapshot, snapshot, (of, wanted) => expectWithin(narrowLimits(of, wanted).snapshot, of)))
  })

  it("gives a run no more than it requested", () => {
    fc.assert(
      fc.property(snapshot, snapshot, (of, wanted) => {
        const { tools, limits } = narrowLimits(of, wanted).snapshot
        const extra = concrete.filter((name) => toolListCovers(tools, name) && !toolListCovers(wanted.tools, name))
        expect(extra).toEqual([])
        expect(limits.maxSteps).toBeLessThanOrEqual(wanted.limits.maxSteps)
      }),
    )
  })

  it("keeps a grandchild within its grandparent", () => {
    fc.assert(
      fc.property(snapshot, snapshot, snapshot, (of, child, grandchild) => {
        const middle = narrowLimits(of, child).snapshot
        const narrowed = narrowLimits(middle, grandchild).snapshot
        expectWithin(narrowed, middle)
        if (middle.model !== "other") expectWithin(narrowed, of)
      }),
    )
  })

  it("is idempotent", () => {
    fc.assert(
      fc.property(snapshot, snapshot, (of, wanted) => {
        const once = narrowLimits(of, wanted).snapshot
        const twice = narrowLimits(of, once)
        expect(twice.widened).toEqual([])
        expect(twice.snapshot).toEqual(once)
      }),
    )
  })

  it("denies a child every tool if no list allows what the other allows", () => {
    const only = (name: string) => ({ ...base, subagents: { ...base.subagents, allowTools: [name] } })
    expect(mayHave(narrowLimits(only("Read"), only("Grep")).snapshot, "Read")).toBe(false)
    expect(mayHave(narrowLimits(only("Read"), only("Grep")).snapshot, "Grep")).toBe(false)
  })

  it("reports no widening for a request that asks for nothing more", () => {
    expect(narrowLimits(base, base)).toEqual({ snapshot: base, widened: [] })
    const less = { ...base, tools: ["Read"], limits: { ...base.limits, maxSteps: 5, budgetTokens: 10 } }
    expect(narrowLimits(base, less)).toEqual({ snapshot: less, widened: [] })
  })

  it.each<[string, Partial<RunSnapshot>, RegExp]>([
    ["a tool", { tools: ["Read", "Bash"] }, /tools: Bash/],
    ["a delegation tool", { delegationTools: ["Task"] }, /tools: Task/],
    ["more steps", { limits: { ...base.limits, maxSteps: 31 } }, /max_steps: 31 is more than 30/],
    ["an approval", { approval: "all" }, /auto_approve/],
    ["an approval of one tool", { approval: ["Bash"] }, /auto_approve/],
    ["a stronger model", { model: "strong" }, /model: strong/],
    ["no sandbox", { sandbox: "off" }, /sandbox/],
    ["a folder above", { cwd: "/" }, /cwd/],
    ["a variable", { envAllow: ["PATH", "SECRET"] }, /envAllow: SECRET/],
  ])("names %s that a request would add", (_, wish, text) => {
    const { widened } = narrowLimits(base, { ...base, ...wish })
    expect(widened).toHaveLength(1)
    expect(widened[0]).toMatch(text)
  })

  it("reports money in dollars", () => {
    const budget = (budgetMicroUsd: number) => ({ ...base, limits: { ...base.limits, budgetMicroUsd } })
    expect(narrowLimits(budget(500_000), budget(1_500_000)).widened).toEqual(["budget_usd: 1.5 is more than 0.5"])
  })

  it("treats a missing budget or timeout as larger than any", () => {
    const limited = { ...base, limits: { ...base.limits, budgetTokens: 10, timeoutSeconds: 60 } }
    const { snapshot: narrowed, widened } = narrowLimits(limited, base)
    expect(narrowed.limits).toMatchObject({ budgetTokens: 10, timeoutSeconds: 60 })
    expect(widened).toHaveLength(2)
  })
})
