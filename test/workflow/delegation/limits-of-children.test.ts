import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const firstUser = (request: ModelRequest): string => {
  const [first] = request.messages
  return first?.role === "user" ? first.text : ""
}

describe("a session that is created under another one", () => {
  it("has no tool that is denied to sub-agents", async () => {
    const offered: (readonly string[])[] = []
    harness = await openHarness({
      config: {
        tools: { subagents: { deny: ["Write"], allow: ["Read", "Write", "LS"] } },
        agents: { general: { delegation: "none" } },
      },
      model: createFakeModel((request) => {
        offered.push(request.tools.map(({ name }) => name))
        return { text: "done" }
      }),
    })
    const { client, cwd } = harness
    const parentId = await harness.start()
    await client.wait(parentId)
    const child = await client.create({ parentId, cwd, actor })
    await client.send({ sessionId: child.id, text: "Begin.", type: "message", actor })
    await client.wait(child.id)
    expect(offered[0]).toContain("Write")
    expect(offered[1]).toEqual(["LS", "Read"])
  })
})

describe("a sub-agent that is resumed after its end", () => {
  it("takes one of its parent's slots, like a new one", async () => {
    const open = Promise.withResolvers<void>()
    const answers: string[] = []
    harness = await openHarness({
      config: { agents: { general: { delegation: "tasks" } }, subagents: { maxChildrenPerAgent: 1 } },
      model: createFakeModel(async (request, turn) => {
        if (firstUser(request).includes("long work")) {
          await open.promise
          return { text: "long work is done" }
        }
        if (firstUser(request) !== "PARENT") return { text: "short work is done" }
        const task = (instructions: string) =>
          ["dynamic_subagent_task", { description: "x", instructions, tools: ["LS"] }] as const
        const last = request.messages.at(-1)
        if (last?.role === "tool") answers.push(last.content)
        const id = /Task ID: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? ""
        if (turn === 1) return { calls: [task("short work")] }
        if (turn === 2) return { calls: [["wait_for_tasks", { task_ids: id }]] }
        if (turn === 3) return { calls: [task("long work")] }
        if (turn === 4) return { calls: [["resume_subagent_task", { task_id: id, input: "again" }]] }
        open.resolve()
        return { text: "end" }
      }),
    })
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(answers.at(-1)).toContain("TASK_START_FAILED")
    expect(answers.at(-1)).toContain("(1/1)")
  })
})

describe("a child that an agent starts", () => {
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
