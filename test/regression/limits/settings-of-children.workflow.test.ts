import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { readToolResults, createTreeModel } from "../../helpers/limits/tree-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// The children of agents ignored rules that applied to sessions started from outside.

let harness: Harness

afterEach(() => harness.close())

/** An agent that spawns one child of profile `worker` and ends with the child's result. */
const open = async (config: ConfigInput) => {
  harness = await openHarness({
    config: { ...config, subagents: { allowAgents: ["*"], ...config.subagents } },
    env: { ANTHROPIC_API_KEY: "main" },
    model: createTreeModel(
      (turn) => (turn === 1 ? { calls: [["sessions_spawn", { task: "work", agentId: "worker" }]] } : { text: "end" }),
      () => ({ text: "worked" }),
    ),
  })
  const id = await harness.start({ prompt: "PARENT" })
  await harness.client.wait(id)
  const { items: children } = await harness.client.list({ parent: id })
  return { results: await readToolResults(harness, id), children }
}

const models = {
  main: { provider: "scripted", script: "unused.yaml" },
  keyed: { provider: "anthropic", model: "claude-opus-5-5" },
} as const

describe("a child that an agent starts", () => {
  it("gets no main key if its profile is isolated, and its agent is told what to set", async () => {
    const { results, children } = await open({ models, agents: { worker: { isolated: true, model: "keyed" } } })
    expect(children).toEqual([])
    expect(results[0]).toContain("agents.worker.credentials.anthropic.apiKeyEnv")
  })

  it("ends at the timeout of sub-agents even if it is a program", async () => {
    const { children } = await open({
      security: { allowBinaryAgents: true },
      agents: { worker: { type: "binary", command: "sleep", args: ["600"] } },
      subagents: { runTimeoutSeconds: 1 },
    })
    expect(children).toMatchObject([{ status: "timed_out", stop_reason: "timeout" }])
  })
})
