import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { callerOrigin } from "../../../../sessions/settings/settings-origin.ts"
import { planSpawn } from "../../../../sessions/spawn/plan-spawn.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

const plan = (call: Parameters<typeof planSpawn>[0], caller: Partial<RunSnapshot> = {}) =>
  planSpawn(call, callerOrigin({ ...baseSnapshot, ...caller }, true))

const dynamic = (context?: string) =>
  plan({
    tool: "dynamic_subagent_task",
    input: {
      description: "d",
      instructions: "do it",
      tools: ["Read"],
      max_steps: 3,
      enable_sandbox: false,
      ...(context === undefined ? {} : { context }),
    },
  })

const session = (input: object, caller: Partial<RunSnapshot> = {}) =>
  plan(
    {
      tool: "sessions_spawn",
      input: { task: "  look\n at it ", thread: false, cleanup: "keep", sandbox: "inherit", ...input },
    },
    caller,
  )

describe("the plan of a delegation call", () => {
  it("separates earlier work from a dynamic task", () => {
    expect(dynamic("we know").instruction).toBe(
      "=== CONTEXT (from previous work) ===\nwe know\n\n=== YOUR TASK ===\ndo it",
    )
    expect(dynamic().instruction).toBe("=== YOUR TASK ===\ndo it")
  })

  it("starts the caller's own profile if sessions_spawn names none, with its task as title", () => {
    const planned = session({}, { agent: "docs", agents: { docs: { type: "llm", isolated: false } } })
    expect(planned).toMatchObject({ settings: { agent: "docs" }, title: "look", internal: { mode: "run" } })
  })

  it("omits, with a warning, a model that is unknown or that its profile does not run", () => {
    expect(session({ model: "gone" })).toMatchObject({ warning: expect.stringContaining("there is no model gone") })
    const agents = {
      docs: { type: "mcp-bridge", mcpTool: "mcp__docs__search", timeoutMs: 1, idempotent: true },
    } as const
    const planned = session({ agentId: "docs", model: "main" }, { agents })
    expect(planned.settings.model).toBeUndefined()
    expect(planned.warning).toContain("main is ignored")
  })

  it("gives Task the model of its role, or the caller's if none of that name is configured", () => {
    const input = { description: "d", prompt: "p", subagent_type: "explore" } as const
    expect(plan({ tool: "Task", input }).settings.model).toBe("light")
    const models = { only: { provider: "openai-compatible", model: "q", maxOutputTokens: 1, price: null } } as const
    expect(plan({ tool: "Task", input }, { models, model: "only" }).settings.model).toBe("only")
  })
})
