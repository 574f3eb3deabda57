import { access, rm } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { describeInDeepRun, isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { connectLineClient } from "../../helpers/mcp/line-client.ts"
import type { ProjectDirectory } from "../cli/program.ts"
import { connectNew } from "./clients.ts"
import { createMcpProject, mcpCommand } from "./mcp-project.ts"
import { connectRaw } from "./raw-client.ts"

const deployArgs = { description: "Deploy", instructions: "deploy it", tools: ["Write"] }

describe("approvals through MCP", () => {
  let project: ProjectDirectory

  beforeAll(async () => {
    project = await createMcpProject()
  })
  afterAll(() => project.remove())
  beforeEach(() => rm(path.join(project.cwd, "plan.txt"), { force: true }))
  const wasWritten = () =>
    access(path.join(project.cwd, "plan.txt")).then(
      () => true,
      () => false,
    )

  it.each(isDeep ? [false, true] : [true])(
    "asks the person at a client that can show forms (2026-07-28: %s)",
    async (modern) => {
      const asked: string[] = []
      const client = await connectNew(project, {
        modern,
        elicited: (message) => {
          asked.push(message)
          return { decision: "approve" }
        },
      })
      try {
        const { data } = await client.call("dynamic_subagent_task", deployArgs)
        const waited = await client.call("wait_for_tasks", { task_ids: [data["task_id"]] })
        expect(waited.data["tasks"]).toMatchObject([{ status: "completed", result: "Deployed." }])
        expect(asked).toHaveLength(1)
        expect(asked[0]).toContain("plan.txt")
        expect(await wasWritten()).toBe(true)
        const audit = JSON.parse((await project.run("audit", "--output", "json")).stdout)
        expect(audit.items).toContainEqual(expect.objectContaining({ action: "decide", by: "new-client", via: "mcp" }))
      } finally {
        await client.close()
      }
    },
  )

  it("passes the person's rejection to the sub-agent and runs nothing", async () => {
    const client = await connectNew(project, { elicited: () => ({ decision: "reject", reason: "not today" }) })
    try {
      const { data } = await client.call("dynamic_subagent_task", deployArgs)
      await client.call("wait_for_tasks", { task_ids: [data["task_id"]] })
      const transcript = await client.read(`adjutant://sessions/${String(data["task_id"])}/transcript`)
      expect(transcript).toContain("TOOL_CALL_REJECTED")
      expect(transcript).toContain("not today")
      expect(await wasWritten()).toBe(false)
    } finally {
      await client.close()
    }
  })

  describeInDeepRun("with --no-approve", () => {
    it("accepts rejections, but no approvals through any tool", async () => {
      let asked = 0
      const client = await connectNew(project, {
        flags: ["--no-approve"],
        elicited: () => {
          asked += 1
          return { decision: "approve" }
        },
      })
      try {
        const { data } = await client.call("dynamic_subagent_task", deployArgs)
        const taskId = String(data["task_id"])
        expect((await client.call("wait_for_tasks", { task_ids: taskId })).data["tasks"]).toMatchObject([
          { status: "paused" },
        ])
        for (const wish of [{ approve_all: true }, { approve: ["tc_write"] }]) {
          const answer = await client.call("resume_subagent_task", { task_id: taskId, ...wish })
          expect(answer).toMatchObject({ isError: true, data: { error: { code: "VALIDATION_ERROR" } } })
        }
        const decisions = [{ tool_call_id: "tc_write", approved: true }]
        expect((await client.call("resume_task", { task_id: taskId, tool_decisions: decisions })).isError).toBe(true)
        expect([asked, await wasWritten()]).toEqual([0, false])
        expect((await client.call("resume_subagent_task", { task_id: taskId, reject_all: true })).isError).toBe(false)
        await client.call("wait_for_tasks", { task_ids: taskId })
        expect(await wasWritten()).toBe(false)
      } finally {
        await client.close()
      }
    })

    it("rejects approvals through the Tasks extension, too", async () => {
      const client = connectRaw(project, { extensions: { "io.modelcontextprotocol/tasks": {} } }, "--no-approve")
      const { taskId } = await client.request("tools/call", { name: "dynamic_subagent_task", arguments: deployArgs })
      await eventually(
        async () => (await client.request("tasks/get", { taskId })).statusMessage.includes("waiting for a person"),
        {
          timeoutMs: 60_000,
        },
      )
      expect((await client.request("tasks/get", { taskId })).status).toBe("working")
      const { contents } = await client.request("resources/read", { uri: "adjutant://approvals" })
      const { checkpoint_id: checkpointId } = JSON.parse(contents[0]!.text).items[0]
      const inputResponses = { [`${checkpointId}/tc_write`]: { action: "accept", content: { decision: "approve" } } }
      expect((await client.request("tasks/update", { taskId, inputResponses })).error).toMatchObject({
        code: -32_602,
        message: expect.stringContaining("does not accept approvals"),
      })
      expect(await wasWritten()).toBe(false)
      client.child.stdin.end()
      expect(await client.ended).toMatchObject({ code: 0 })
    })
  })

  // Such a run approved its own sub-agents' calls there, by their checkpoint or with `--all-sessions`.
  it("does not accept approvals from an agent that uses Adjutant as its MCP server", async () => {
    const { cwd, env } = mcpCommand(project)
    // As a worker starts the MCP servers of its runs.
    const client = connectLineClient({ cwd, env: { ...env, ADJUTANT_IN_RUN: "1" }, flags: ["--all-sessions"] })
    const call = async (name: string, args: object) =>
      (await client.request("tools/call", { name, arguments: args }).answer).result
    try {
      await client.initialize()
      const started = await call("dynamic_subagent_task", deployArgs)
      const task_id = String(started?.structuredContent?.["task_id"])
      const waited = await call("wait_for_tasks", { task_ids: task_id })
      expect(waited?.content?.[0]?.text).toContain("tc_write")
      const tool_decisions = [{ tool_call_id: "tc_write", approved: true }]
      for (const [tool, decision] of [
        ["resume_subagent_task", { approve_all: true }],
        ["resume_subagent_task", { approve: ["tc_write"] }],
        ["resume_task", { tool_decisions }],
      ] as const)
        expect((await call(tool, { task_id, ...decision }))?.content?.[0]?.text).toContain("does not accept approvals")
      expect(await wasWritten()).toBe(false)
      await call("cancel_task", { task_id })
    } finally {
      await client.disconnect()
    }
  })

  it("offers only the requested families", async () => {
    const client = await connectNew(project, { flags: ["--toolsets", "task"] })
    try {
      expect((await client.tools()).map(({ name }) => name)).toEqual(["Task", "wait_for_tasks"])
      await expect(client.call("subagents", { action: "list" })).rejects.toThrow(/not found/)
    } finally {
      await client.close()
    }
  })

  it("neither a cancelled Task call nor a disconnect cancels a sub-agent", async () => {
    // It reads all tasks of the project.
    await using own = await createMcpProject()
    const client = connectRaw(own, {})
    const args = { description: "d", prompt: "slow", subagent_type: "explore" }
    void client.request("tools/call", { name: "Task", arguments: args })
    const statuses = async () => {
      const { structuredContent } = await client.request("tools/call", { name: "get_all_tasks", arguments: {} })
      return structuredContent.tasks.map(({ status }) => status)
    }
    await eventually(async () => (await statuses()).includes("running"), { timeoutMs: 60_000 })
    client.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })}\n`,
    )
    // The server has read the notification when it answers the next call.
    expect(await statuses()).toEqual(["running"])
    const { structuredContent } = await client.request("tools/call", {
      name: "sessions_spawn",
      arguments: { task: "slow" },
    })
    client.child.stdin.end()
    expect(await client.ended).toMatchObject({ code: 0 })
    const info = JSON.parse((await own.run("info", structuredContent.sessionId, "--output", "json")).stdout)
    expect(["pending", "running"]).toContain(info.status)
    await own.run("kill", structuredContent.sessionId)
  })
})
