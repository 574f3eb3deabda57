import { expect, it } from "vitest"
import { sessionsYield } from "../../../../sessions/delegation-tools/wait.ts"
import type { SubAgents } from "../../../../sessions/delegation-tools/sub-agents.ts"

it("a wait for nothing names the sub-agents that were cancelled, and by whom", async () => {
  const tasks = [
    { id: "c2", status: "completed" },
    { id: "c1", status: "cancelled" },
  ]
  const error = { code: "cancelled", message: "the run was cancelled by ada (cli, a person)" }
  const port = {
    surface: { kind: "mcp", tools: [] },
    open: async () => [],
    tasks: async () => tasks,
    facts: async (id: string) => ({ id, label: "helper", error }),
  } as unknown as SubAgents<never>
  const reply = await sessionsYield(port, {})
  expect(reply.kind === "now" && reply.value.text).toBe(
    'No sub-agent of yours is at work.\nc1 ("helper"): the run was cancelled by ada (cli, a person).',
  )
})
