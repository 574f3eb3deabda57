import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { confines } from "../../helpers/confines.ts"
import { isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { ProjectDirectory } from "../cli/program.ts"
import { connectNew, connectOld, type TestClient } from "./clients.ts"
import { createMcpProject } from "./mcp-project.ts"

const isConfined = await confines()

const clients = [
  ["the 1.x client", undefined, connectOld],
  ["the 2.x client, older revision", "2025-11-25", connectNew],
  [
    "the 2.x client, newest revision",
    "2026-07-28",
    (project: ProjectDirectory) => connectNew(project, { modern: true }),
  ],
] as const

describe.each(isDeep ? clients : clients.slice(0, 1))("adjutant mcp with %s", (_, revision, connect) => {
  let project: ProjectDirectory
  let client: TestClient

  beforeAll(async () => {
    project = await createMcpProject()
    client = await connect(project)
  })
  afterAll(async () => {
    await client.close()
    await project.remove()
  })

  const deploy = () =>
    client.call("dynamic_subagent_task", { description: "Deploy", instructions: "deploy it", tools: ["Write"] })

  it("agrees on the client's revision", () => {
    expect(client.revision).toBe(revision)
  })

  it("offers all families with schemas, annotations and instructions", async () => {
    const tools = await client.tools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Task", "dynamic_subagent_task", "wait_for_tasks", "sessions_spawn", "subagents"]),
    )
    const spawnTool = tools.find(({ name }) => name === "dynamic_subagent_task")
    expect(spawnTool?.inputSchema.required).toEqual(expect.arrayContaining(["description", "instructions", "tools"]))
    for (const tool of tools) expect(tool.outputSchema?.type).toBe("object")
    expect(tools.find(({ name }) => name === "get_task_details")?.annotations).toMatchObject({ readOnlyHint: true })
    expect(tools.find(({ name }) => name === "cancel_task")?.annotations).toMatchObject({ destructiveHint: true })
    expect(client.instructions).toContain("wait_for_tasks")
  })

  it("starts a task, waits for its pause, resumes it, and collects the result", async () => {
    const started = await deploy()
    const taskId = String(started.data["task_id"])
    expect(taskId).toMatch(/^[a-z0-9]{6,}$/)
    const waited = await client.call("wait_for_tasks", { task_ids: taskId })
    expect(waited.data["tasks"]).toMatchObject([
      { task_id: taskId, status: "paused", pause_reason: { pending_tool_calls: [{ id: "tc_write", name: "Write" }] } },
    ])
    expect(waited.text).toContain("tc_write")
    expect(await client.read("adjutant://approvals")).toContain(taskId)
    const resumed = await client.call("resume_task", {
      task_id: taskId,
      tool_decisions: [{ tool_call_id: "tc_write", approved: true }],
    })
    expect(resumed).toMatchObject({ isError: false, data: { task_id: taskId, status: "running" } })
    const done = await client.call("wait_for_tasks", { task_ids: [taskId], timeout_seconds: 60 })
    expect(done.data).toMatchObject({ timed_out: false, tasks: [{ status: "completed", result: "Deployed." }] })
    expect(await readFile(path.join(project.cwd, "plan.txt"), "utf8")).toBe("applied\n")
    const details = await client.call("get_task_details", { task_id: taskId })
    expect(details.data).toMatchObject({
      task_id: taskId,
      status: "completed",
      session_key: `agent:general:subagent:${taskId}`,
    })
    expect((await client.call("get_all_tasks", {})).text).toContain(`| ${taskId} | completed | Deploy |`)
    const transcript = await client.read(`adjutant://sessions/${taskId}/transcript`)
    expect(transcript.split("\n").map((line) => JSON.parse(line).message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ])
    const again = await client.call("resume_subagent_task", { task_id: taskId, input: "again" })
    expect(again.isError).toBe(false)
    const second = await client.call("wait_for_tasks", { task_ids: [taskId] })
    expect(second.data["tasks"]).toMatchObject([{ status: "completed", result: "Deployed again." }])
  })

  it("answers Task with its envelope, and reports progress meanwhile", async () => {
    const told: string[] = []
    const answer = await client.call(
      "Task",
      {
        description: "Look",
        prompt: "find the config",
        subagent_type: "Explore",
      },
      (message) => told.push(message),
    )
    expect(told.join("\n")).toMatch(/^[a-z0-9]{6,}: (step|runs LS)/m)
    expect(answer.data).toMatchObject({
      status: "success",
      data: {
        status: "completed",
        tool_summary: [{ tool: "LS", count: 1 }],
        model_used: "light",
        subagent_type: "explore",
        session_id: expect.stringMatching(/^[a-z0-9]{6,}$/),
      },
      stats: { tool_calls: 1, model: "light" },
      context: { params_input: { prompt: "find the config", subagent_type: "Explore" } },
    })
    expect(answer.text).toBe("Subagent (explore, light) completed.\n\nFound it in adjutant.config.yaml.")
  })

  it("counts only the calls that ran in the envelope of Task", async () => {
    const args = { description: "Look", prompt: "try to change it", subagent_type: "explore" }
    const { data } = await client.call("Task", args)
    expect(data).toMatchObject({ status: "success", stats: { tool_calls: 1 } })
    expect(data["data"]).toMatchObject({ tool_summary: [{ tool: "LS", count: 1 }], result: "I could only look." })
  })

  /** Starts a command as a task, which waits for its approval as a call of Bash. */
  const startCommand = async (command: string): Promise<string> => {
    const { data } = await client.call("run_command_task", { command, description: "Build" })
    const taskId = String(data["task_id"])
    const waited = await client.call("wait_for_tasks", { task_ids: taskId })
    expect(waited.data["tasks"]).toMatchObject([
      { status: "paused", pause_reason: { pending_tool_calls: [{ name: "Bash", arguments: { command } }] } },
    ])
    return taskId
  }

  it.runIf(isConfined)(
    "runs a command as a task: approved as Bash, with its output, listed, and cancelled with what it started",
    async () => {
      const start = async (command: string) => {
        const taskId = await startCommand(command)
        await client.call("resume_subagent_task", { task_id: taskId, approve_all: true })
        return taskId
      }
      const built = await start("echo built > out.txt; cat out.txt")
      const done = await client.call("wait_for_tasks", { task_ids: built })
      expect(done.data["tasks"]).toMatchObject([{ status: "completed", result: "built" }])
      expect(await readFile(path.join(project.cwd, "out.txt"), "utf8")).toBe("built\n")
      expect((await client.call("get_all_tasks", {})).text).toContain(`| ${built} | completed | Build |`)
      const endless = await start("echo begun; sleep 600")
      await eventually(async () =>
        String((await client.call("get_task_details", { task_id: endless })).data["result"]).includes("begun"),
      )
      expect((await client.call("cancel_task", { task_id: endless })).data).toMatchObject({ status: "cancelled" })
    },
  )

  it.runIf(!isConfined)("leaves the approval of a command that no sandbox confines to a person", async () => {
    const taskId = await startCommand("echo built > out.txt")
    const { text } = await client.call("resume_subagent_task", { task_id: taskId, approve_all: true })
    expect(text).toContain("only a person can approve")
    const { data } = await client.call("get_task_details", { task_id: taskId })
    expect(data).toMatchObject({ status: "paused" })
    expect((await client.call("cancel_task", { task_id: taskId })).data).toMatchObject({ status: "cancelled" })
  })

  it.each([
    { prompt: "x", subagent_type: "explore" },
    { description: " ", prompt: "x", subagent_type: "explore" },
    { description: "d", prompt: "x", subagent_type: "wizard" },
    { description: "d", prompt: "x", subagent_type: "plan", model: "huge" },
  ])("answers Task %j with INVALID_PARAM in the envelope", async (args) => {
    const answer = await client.call("Task", args)
    expect(answer).toMatchObject({ isError: true, data: { status: "error", error: { code: "INVALID_PARAM" } } })
  })

  it("spawns a session, waits, shows its sanitised history and accepts a follow-up", async () => {
    const spawned = await client.call("sessions_spawn", { task: "say hello", label: "greeter" })
    expect(spawned.data).toMatchObject({
      status: "accepted",
      childSessionKey: expect.stringMatching(/^agent:general:subagent:/),
    })
    const { sessionId } = spawned.data as { sessionId: string }
    expect((await client.call("subagents", { action: "wait", target: "greeter" })).data["tasks"]).toMatchObject([
      { task_id: sessionId, status: "completed" },
    ])
    const history = await client.call("sessions_history", { sessionKey: spawned.data["childSessionKey"] })
    expect(history.text).toContain("Hello from a sub-agent.")
    expect(history.text).not.toContain("hm")
    await client.call("sessions_send", { sessionKey: sessionId, message: "again" })
    await client.call("subagents", { action: "wait", target: sessionId })
    expect((await client.call("subagents", { action: "info", target: sessionId })).data).toMatchObject({
      result: "And again.",
    })
  })

  it("kills a running session, and reports one that has ended", async () => {
    const { data } = await client.call("dynamic_subagent_task", {
      description: "s",
      instructions: "slow",
      tools: ["Read"],
    })
    const taskId = String(data["task_id"])
    expect((await client.call("wait_for_tasks", { task_ids: taskId, timeout_seconds: 0.1 })).data["timed_out"]).toBe(
      true,
    )
    expect((await client.call("cancel_task", { task_id: taskId })).data).toEqual({
      task_id: taskId,
      status: "cancelled",
    })
    expect((await client.call("cancel_task", { task_id: taskId })).data["status"]).toBe("cancelled")
    expect((await client.call("resume_subagent_task", { task_id: taskId, input: "x" })).data["error"]).toMatchObject({
      code: "RESUME_TASK_ERROR",
    })
  })

  it.each([
    ["get_task_details", { task_id: "nosuch" }, "TASK_NOT_FOUND"],
    ["get_task_details", { task_id: "../../etc" }, "TASK_NOT_FOUND"],
    ["get_task_details", { task_id: 7 }, "VALIDATION_ERROR"],
    ["get_task_details", { task_id: "x", more: 1 }, "VALIDATION_ERROR"],
    ["wait_for_tasks", { task_ids: ["nosuch"] }, "TASK_NOT_FOUND"],
    ["wait_for_tasks", { task_ids: "  " }, "VALIDATION_ERROR"],
    ["cancel_task", { task_id: "%00" }, "TASK_NOT_FOUND"],
    ["resume_task", { task_id: "nosuch", prompt: "x" }, "TASK_NOT_FOUND"],
    ["resume_task", { task_id: "nosuch", prompt: "x", tool_decisions: [] }, "VALIDATION_ERROR"],
    ["dynamic_subagent_task", { description: "d", instructions: "i", tools: [] }, "VALIDATION_ERROR"],
    ["dynamic_subagent_task", { description: "d", instructions: "i", tools: ["Rread"] }, "VALIDATION_ERROR"],
    ["subagents", { action: "steer", target: "#9", message: "x" }, "TASK_NOT_FOUND"],
    ["subagents", { action: "kill" }, "VALIDATION_ERROR"],
    ["sessions_send", { sessionKey: "agent:x:subagent:y", message: "x" }, "TASK_NOT_FOUND"],
  ])("answers %s %j with %s as a tool result", async (name, args, code) => {
    const answer = await client.call(name, args)
    expect(answer).toMatchObject({ isError: true, data: { error: { code } } })
    expect(answer.text.startsWith(`${code}: `)).toBe(true)
  })

  it("rejects profiles that are not allowed, and sessions without a thread", async () => {
    expect((await client.call("sessions_spawn", { task: "t", agentId: "explore" })).data).toEqual({
      status: "forbidden",
      error: "agentId is not allowed for sessions_spawn (allowed: general)",
    })
    expect((await client.call("sessions_spawn", { task: "t", mode: "session" })).data).toMatchObject({
      status: "error",
    })
  })

  it("rejects more than the allowed number of active children, and frees their slots", async () => {
    const spawn = () => client.call("sessions_spawn", { task: "slow" })
    const answers = await Promise.all(Array.from({ length: 6 }, spawn))
    const refused = answers.filter(({ data }) => data["status"] === "forbidden")
    expect(refused.map(({ data }) => data["error"])).toEqual([
      "sessions_spawn has reached max active children for this session (5/5)",
    ])
    const { text, data } = await deploy()
    expect(data["error"]).toEqual({
      code: "TASK_START_FAILED",
      message: "sessions_spawn has reached max active children for this session (5/5)",
    })
    expect(data["next"]).toMatch(/^get_all_tasks {} shows them\. .*cancel_task/)
    expect(text).toBe(
      `TASK_START_FAILED: sessions_spawn has reached max active children for this session (5/5)\n\n${String(data["next"])}`,
    )
    const killed = await client.call("subagents", { action: "kill", target: "all" })
    expect(killed.data["killed"]).toHaveLength(5)
    expect((await client.call("sessions_spawn", { task: "hello" })).data["status"]).toBe("accepted")
    await client.call("sessions_yield", {})
  })
})
