import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it, onTestFinished } from "vitest"
import { dynamicSubagentTaskInputSchema } from "../../../contracts/delegation/tasks-input.ts"
import { createMcpServer } from "../../../mcp/create-mcp-server.ts"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { connectTo } from "../../unit/mcp/connect-as.ts"

// An agent is not a person: over no interface does it approve a call of a session below it that its own run has to
// ask about.

let harness: Harness
const actor = { by: "test", via: "cli" } as const

afterEach(() => harness.close())

const unconfined = {
  agents: { general: { delegation: "tasks" } },
  tools: { policy: { Bash: "auto" } },
  security: { sandbox: "off" },
  subagents: { maxSpawnDepth: 3, allowAgents: ["*"] },
} as const satisfies HarnessOptions["config"]

const touch = { command: "touch unconfined" }
const wasRun = (): boolean => existsSync(join(harness.cwd, "unconfined"))

const pendingNames = async (): Promise<readonly string[]> =>
  (await harness.client.approvals()).items.flatMap(({ pending }) => pending.map(({ name }) => name))

const startedId = (messages: unknown): string => /Task ID: (\w+)/.exec(JSON.stringify(messages))?.[1] ?? ""

describe("over several levels", () => {
  it("neither its parent nor the agent above that approves a sub-agent's Bash without a sandbox", async () => {
    const attacked = Promise.withResolvers<string>()
    harness = await openHarness({
      config: unconfined,
      model: createTreeModel(
        async (turn) => {
          if (turn === 1)
            return { calls: [["dynamic_subagent_task", { description: "m", instructions: "MIDDLE", tools: ["Bash"] }]] }
          if (turn > 2) return { text: "end" }
          const task_id = await attacked.promise
          const checkpoint_id = (await harness.store.pauses.current(task_id))?.checkpointId
          const tool_decisions = [{ tool_call_id: "call_1_1", approved: true }]
          return {
            calls: [
              ["resume_subagent_task", { task_id, approve_all: true }],
              ["resume_subagent_task", { task_id, checkpoint_id, approve: ["call_1_1"] }],
              ["resume_task", { task_id, checkpoint_id, tool_decisions }],
            ],
          }
        },
        async (task, turn, { messages }) => {
          if (!task.includes("MIDDLE")) return turn === 1 ? { calls: [["Bash", touch]] } : { text: "done" }
          const task_id = startedId(messages)
          if (turn === 1)
            return { calls: [["dynamic_subagent_task", { description: "l", instructions: "LEAF", tools: ["Bash"] }]] }
          if (turn === 2) return { calls: [["wait_for_tasks", { task_ids: task_id }]] }
          if (turn > 3) {
            attacked.resolve(task_id)
            return { text: "end" }
          }
          const tool_decisions = [{ tool_call_id: "call_1_1", approved: true }]
          return {
            calls: [
              ["resume_subagent_task", { task_id, approve_all: true }],
              ["resume_task", { task_id, tool_decisions }],
            ],
          }
        },
      ),
    })
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    const leaf = await attacked.promise
    const middle = (await harness.store.sessions.get(leaf))?.parentId ?? ""
    await eventually(async () => (await readToolResults(harness, id)).length === 4)
    for (const result of (await readToolResults(harness, id)).slice(1)) expect(result).toMatch(/^TASK_NOT_FOUND/)
    const [, , ...byMiddle] = await readToolResults(harness, middle)
    expect(byMiddle).toHaveLength(2)
    for (const result of byMiddle) expect(result).toContain("only a person can approve call_1_1 (Bash)")
    expect(await pendingNames()).toEqual(["Bash"])
    expect(wasRun()).toBe(false)
    await harness.client.cancel(id, actor)
    await harness.client.wait(id)
  })
})

it.each<[string, [string, Record<string, unknown>]]>([
  ["a command in the background", ["Bash", { ...touch, run_in_background: true }]],
  ["a change of a protected path", ["Write", { file_path: ".envrc", content: "evil" }]],
])("an agent cannot approve for its child what only a person can approve: %s", async (_, call) => {
  harness = await openHarness({
    config: { ...unconfined, tools: { policy: { "*": "auto" } } },
    model: createTreeModel(
      (turn, { messages }) => {
        const task_id = startedId(messages)
        const task = { description: "run", instructions: "child", tools: [call[0]] }
        if (turn === 1) return { calls: [["dynamic_subagent_task", task]] }
        if (turn === 2) return { calls: [["wait_for_tasks", { task_ids: task_id }]] }
        if (turn === 3) return { calls: [["resume_subagent_task", { task_id, approve_all: true }]] }
        return { text: "end" }
      },
      (_task, turn) => (turn === 1 ? { calls: [call] } : { text: "done" }),
    ),
  })
  const id = await harness.start({ prompt: "PARENT", auto_approve: false })
  await harness.client.wait(id)
  expect((await readToolResults(harness, id))[2]).toContain("only a person can approve")
  expect(await pendingNames()).toEqual([call[0]])
  expect(existsSync(join(harness.cwd, ".envrc")) || wasRun()).toBe(false)
  await harness.client.cancel(id, actor)
})

describe("a child without a model", () => {
  /** A parent that starts a child by this call, waits for it, and approves all its calls. */
  const attack = async (
    spawn: readonly [string, Record<string, unknown>],
    config: NonNullable<HarnessOptions["config"]>,
  ) => {
    harness = await openHarness({
      config,
      model: createTreeModel(
        async (turn) => {
          const { items } = await harness.store.sessions.list({ limit: 9 })
          const task_id = items.find(({ depth }) => depth === 1)?.id ?? "none"
          if (turn === 1) return { calls: [spawn] }
          if (turn === 2) return { calls: [["wait_for_tasks", { task_ids: task_id }]] }
          if (turn === 3) return { calls: [["resume_subagent_task", { task_id, approve_all: true }]] }
          return { text: "end" }
        },
        () => ({ text: "?" }),
      ),
    })
    const tools = ["Bash", "sessions_spawn", "run_command_task", "wait_for_tasks", "resume_subagent_task"]
    if (config.mcpServers !== undefined) tools.push("mcp__docs__*")
    const id = await harness.start({ prompt: "PARENT", auto_approve: false, allowed_tools: tools })
    await eventually(async () => (await readToolResults(harness, id)).length === 3)
    const pending = await pendingNames()
    await harness.client.cancel(id, actor)
    await harness.client.wait(id)
    const [started, , refusal] = await readToolResults(harness, id)
    expect(started).toMatch(/started|Task ID/)
    return { refusal, pending }
  }

  it("cannot be approved by its parent: a command", async () => {
    const { refusal, pending } = await attack(["run_command_task", touch], unconfined)
    expect(refusal).toContain("only a person can approve call_1 (Bash)")
    expect(pending).toEqual(["Bash"])
    expect(wasRun()).toBe(false)
  })

  it("cannot be approved by its parent: a program", async () => {
    const folder = mkdtempSync(join(tmpdir(), "adjutant-program-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const command = join(folder, "program.sh")
    writeFileSync(command, "#!/bin/sh\ntouch unconfined\n")
    chmodSync(command, 0o700)
    const { refusal, pending } = await attack(["sessions_spawn", { agentId: "program", task: "go" }], {
      ...unconfined,
      agents: { general: {}, program: { type: "binary", command } },
      security: { sandbox: "off", allowBinaryAgents: true },
    })
    expect(refusal).toContain("only a person can approve call_1 (binary:program)")
    expect(pending).toEqual(["binary:program"])
    expect(wasRun()).toBe(false)
  })

  it("cannot be approved by its parent: a bridge to an MCP tool", async () => {
    const folder = mkdtempSync(join(tmpdir(), "adjutant-bridge-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const log = join(folder, "log")
    const { refusal, pending } = await attack(["sessions_spawn", { agentId: "bridge", task: "go" }], {
      ...unconfined,
      agents: {
        general: {},
        bridge: { type: "mcp-bridge", mcpTool: "mcp__docs__note", mcpToolInput: '{"line": "{{task}}"}' },
      },
      mcpServers: { docs: createTestServerConfig({ TEST_LOG: log }) },
    })
    expect(refusal).toContain("only a person can approve call_1 (mcp__docs__note)")
    expect(pending).toEqual(["mcp__docs__note"])
    expect(existsSync(log)).toBe(false)
  })
})

describe("Adjutant's own MCP server, for a client that may not approve", () => {
  it("approves nothing, also of a task that it started", async () => {
    harness = await openHarness({
      config: unconfined,
      model: createFakeModel((_, turn) => (turn === 1 ? { calls: [["Bash", touch]] } : { text: "done" })),
    })
    const { client, store, loaded, cwd } = harness
    const remote = { by: "agent", via: "mcp", authority: { approval: "policy", directories: "any" } } as const
    const input = dynamicSubagentTaskInputSchema.parse({ description: "d", instructions: "go", tools: ["Bash"] })
    const spawned = await client.spawn({
      ...{ call: { tool: "dynamic_subagent_task", input }, caller: "stdio:agent", cwd },
      actor: remote,
    })
    if (spawned.kind !== "started") throw new Error("expected a start")
    const task_id = spawned.child.sessionId
    await client.wait(task_id)
    const checkpoint_id = (await client.info(task_id)).checkpoint_id ?? ""
    const server = createMcpServer({
      engine: openedEngine({ client, store }),
      loaded,
      toolsets: ["tasks", "task", "sessions"],
      noApprove: true,
      logger: { warn: () => undefined, error: () => undefined },
      caller: "stdio:agent",
      allSessions: true,
    })
    const { call } = await connectTo(server)
    const tool_decisions = [{ tool_call_id: "call_1_1", approved: true }]
    for (const attempt of [
      call("resume_subagent_task", { task_id, approve_all: true }),
      call("resume_subagent_task", { task_id, checkpoint_id, approve: ["call_1_1"] }),
      call("resume_task", { task_id, checkpoint_id, tool_decisions }),
    ])
      expect((await attempt).text).toContain("does not accept approvals")
    const { items } = await client.audit({ sessionId: task_id })
    const refused = items.filter(({ action }) => action === "decide-refused")
    for (const detail of [{ decisions: { call_1_1: "accept" } }, { all: "accept" }])
      expect(refused).toContainEqual(
        expect.objectContaining({
          ...{ via: "mcp", actor: "model" },
          detail: expect.objectContaining({ ...detail, checkpoint_id, code: "forbidden" }),
        }),
      )
    // The same attempt is recorded once.
    expect(refused).toHaveLength(2)
    await expect(
      client.decide({ sessionId: task_id, all: { action: "accept" }, unlisted: "pending", actor: remote }),
    ).rejects.toMatchObject({ code: "forbidden" })
    expect(await pendingNames()).toEqual(["Bash"])
    expect(wasRun()).toBe(false)
    await client.cancel(task_id, actor)
  })
})
