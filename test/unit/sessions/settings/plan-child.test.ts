import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ChildFacts, planChild } from "../../../../sessions/settings/plan-child.ts"
import type { SettingsRequest } from "../../../../sessions/settings/settings-request.ts"
import { configSchema } from "../../../../contracts/config/config.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { PolicyMode } from "../../../../contracts/approval/run-policy.ts"
import { isStricter, runToolPolicy } from "../../../../domain/approval/tool-policy.ts"
import {
  builtinToolNames,
  delegationToolsOf,
  isAllowedTool,
  toolListCovers,
} from "../../../../domain/tools/tool-names.ts"
import { isStrongerModel } from "../../../../domain/models/model-choice.ts"

const config = configSchema.parse({})
const price = { inputPerMTok: 1, outputPerMTok: 1 }
const spec = (model: string) => ({ provider: "scripted" as const, model, maxOutputTokens: 10, price })

const root = (over: Partial<RunSnapshot> = {}): RunSnapshot => ({
  agent: "general",
  type: "llm",
  execution: { type: "llm" },
  systemPrompt: "root",
  model: "middle",
  models: { strong: spec("s"), middle: spec("m"), weak: spec("w") },
  modelTiers: [["strong"], ["middle"], ["weak"]],
  tools: [...builtinToolNames],
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
  envAllow: ["PATH"],
  delegation: "sessions",
  subagents: { ...config.subagents, denyTools: [], allowTools: [] },
  agents: {},
  deniedTools: [],
  mcpServers: {},
  hooks: {},
  webhooks: [],
  publicUrl: "http://127.0.0.1:7420",
  timing: config.timing,
  compaction: config.compaction,
  ...over,
})

const names: readonly string[] = [...builtinToolNames, "mcp__docs__search", "mcp__docs__write", "RollDice"]
const toolName = fc.constantFrom(...names, "mcp__docs__*")
const mode = fc.constantFrom<PolicyMode>("auto", "prompt", "never")
const policy = fc.dictionary(fc.constantFrom(...names, "mcp__*", "mcp__docs__*", "*"), mode)
const tokens = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null })

const parent = fc
  .record({
    tools: fc.uniqueArray(toolName),
    policy,
    approval: fc.oneof(
      fc.constant<"policy" | "all">("policy"),
      fc.constant<"policy" | "all">("all"),
      fc.uniqueArray(fc.constantFrom(...names)),
    ),
    never: fc.constantFrom<"pause" | "reject">("pause", "reject"),
    sandboxed: fc.boolean(),
    model: fc.constantFrom("strong", "middle", "weak"),
    maxSpawnDepth: fc.integer({ min: 1, max: 5 }),
    denyTools: fc.uniqueArray(toolName, { maxLength: 2 }),
    allowTools: fc.uniqueArray(toolName, { maxLength: 4 }),
  })
  .map(({ maxSpawnDepth, denyTools, allowTools, sandboxed, ...over }) =>
    root({
      ...over,
      sandboxed,
      sandbox: sandboxed ? "require" : "auto",
      subagents: { ...config.subagents, maxSpawnDepth, denyTools, allowTools },
    }),
  )

interface Spawn {
  readonly request: Omit<SettingsRequest, "cwd">
  readonly reserve: ChildFacts["share"]["reserve"]
}

const spawn: fc.Arbitrary<Spawn> = fc.record({
  request: fc.record(
    {
      agent: fc.constantFrom("general", "explore", "plan", "summary"),
      model: fc.constantFrom("strong", "middle", "weak"),
      allowed_tools: fc.uniqueArray(toolName, { minLength: 1 }),
      max_steps: fc.integer({ min: 1, max: 256 }),
      timeout_seconds: fc.integer({ min: 0, max: 1_000 }),
      auto_approve: fc.boolean(),
      sandbox: fc.boolean(),
      subagent: fc.constant({}),
    },
    { requiredKeys: ["agent", "subagent"] },
  ),
  reserve: fc.record({ microUsd: tokens, tokens }),
})

const childOf = (above: RunSnapshot, { request, reserve }: Spawn): RunSnapshot =>
  planChild(above, request, {
    share: { reserve, timeLeftMs: 0 },
    allowsBinaryAgents: false,
    hasVariable: () => false,
    notes: [],
  })

const freedomOf = (snapshot: RunSnapshot, name: string): PolicyMode =>
  runToolPolicy({ name, readOnly: false }, snapshot)

const expectNoWider = (child: RunSnapshot, above: RunSnapshot): void => {
  for (const name of names.filter((each) => isAllowedTool(child, each))) {
    expect(isAllowedTool(above, name)).toBe(true)
    expect(toolListCovers(above.subagents.denyTools, name)).toBe(false)
  }
  for (const name of names) expect(isStricter(freedomOf(above, name), freedomOf(child, name))).toBe(false)
  if (above.approval !== "all") expect(child.approval === "all").toBe(false)
  if (above.never === "reject") expect(child.never).toBe("reject")
  if (above.sandboxed) expect(child.sandboxed).toBe(true)
  expect(isStrongerModel(child.model, above.model, above)).toBe(false)
  expect(child.cwd).toBe(above.cwd)
  expect(child.subagents.maxSpawnDepth).toBeLessThanOrEqual(above.subagents.maxSpawnDepth)
  for (const name of delegationToolsOf(child)) expect(delegationToolsOf(above)).toContain(name)
  for (const name of child.envAllow) expect(above.envAllow).toContain(name)
}

describe("a child's settings", () => {
  it("are never wider than its parent's, all the way down a tree", () => {
    fc.assert(
      fc.property(parent, fc.array(spawn, { minLength: 1, maxLength: 5 }), (start, spawns) => {
        let above = start
        for (const wanted of spawns) {
          const child = childOf(above, wanted)
          expectNoWider(child, above)
          expectNoWider(child, start)
          above = child
        }
      }),
      { numRuns: 300 },
    )
  })

  it("have exactly the budget that was reserved", () => {
    fc.assert(
      fc.property(parent, spawn, (above, wanted) => {
        const { limits } = childOf(above, wanted)
        expect(limits.budgetMicroUsd).toBe(wanted.reserve.microUsd)
        expect(limits.budgetTokens).toBe(wanted.reserve.tokens)
      }),
    )
  })

  it("give the Task tool's child exactly role prompt, heading and description", () => {
    const child = planChild(
      root({ showsSurroundings: true }),
      { agent: "explore", model: "weak", subagent: { taskDescription: "find it" } },
      {
        share: { reserve: { microUsd: null, tokens: null }, timeLeftMs: 0 },
        allowsBinaryAgents: false,
        hasVariable: () => false,
        notes: [{ name: "AGENTS.md", text: "note" }],
      },
    )
    expect(child.systemPrompt).toMatch(/\n\n# Task\nfind it$/)
    expect(child.showsSurroundings).toBeUndefined()
    expect(child.delegation).toBe("none")
  })
})

describe("a command that a run starts", () => {
  const command = (above: RunSnapshot) =>
    childOf(above, {
      request: { agent: "general", subagent: { command: { timeoutMs: 5_000 } } },
      reserve: { microUsd: null, tokens: null },
    })

  it("has only Bash, with the policy, approval and sandbox of the run", () => {
    const above = root({ approval: "all", policy: { Bash: "never" }, sandboxed: true, sandbox: "require" })
    expect(command(above)).toMatchObject({
      type: "binary",
      execution: { type: "command", timeoutMs: 5_000 },
      tools: ["Bash"],
      delegation: "none",
      approval: "all",
      policy: { Bash: "never" },
      sandboxed: true,
      sandbox: "require",
    })
  })

  it("has no tool if the run has no Bash", () => {
    expect(isAllowedTool(command(root({ tools: ["Read"] })), "Bash")).toBe(false)
  })

  it.each([
    { deniedTools: ["Bash"] },
    { subagents: { ...config.subagents, denyTools: ["Bash"], allowTools: [] } },
    { subagents: { ...config.subagents, denyTools: [], allowTools: ["Read"] } },
  ])("is refused if sub-agents have no Bash: %j", (over) => {
    expect(() => command(root(over))).toThrow("a command requires Bash")
  })
})
