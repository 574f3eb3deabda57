import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import type { ProjectDirectory } from "../cli/program.ts"
import { createMcpProject } from "./mcp-project.ts"
import { connectRaw, type RawClient, type RawResult } from "./raw-client.ts"

const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } }
const tasks = { elicitation: { form: {} }, ...extension }
const deploy = {
  name: "dynamic_subagent_task",
  arguments: { description: "Deploy", instructions: "deploy it", tools: ["Write"] },
}

describe("the Tasks extension", () => {
  let project: ProjectDirectory
  let client: RawClient

  beforeAll(async () => {
    project = await createMcpProject()
    client = connectRaw(project, tasks)
  })
  afterAll(async () => {
    client.child.stdin.end()
    expect(await client.ended).toMatchObject({ code: 0 })
    await project.remove()
  })

  const waitForStatus = async (taskId: string, status: string): Promise<RawResult> => {
    let task: RawResult | undefined
    await eventually(
      async () => {
        task = await client.request("tasks/get", { taskId })
        return task.status === status
      },
      { timeoutMs: 60_000 },
    )
    return task!
  }

  it("is declared by the server", async () => {
    const discovered = await client.request("server/discover", {})
    expect(discovered.capabilities.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} })
  })

  it("answers a start with a task whose id is the session's, asks for the decision, and ends with the call's result", async () => {
    const created = await client.request("tools/call", deploy)
    expect(created).toMatchObject({ resultType: "task", ttlMs: null, status: "working" })
    const { taskId } = created
    const paused = await waitForStatus(taskId, "input_required")
    expect(paused.resultType).toBe("complete")
    const [[key, question]] = Object.entries(paused.inputRequests) as [[string, unknown]]
    expect(question).toMatchObject({
      method: "elicitation/create",
      params: { message: expect.stringContaining("plan.txt") },
    })
    const waited = await client.request("tools/call", { name: "wait_for_tasks", arguments: { task_ids: taskId } })
    expect(waited).not.toHaveProperty("inputRequests")
    expect(waited.structuredContent).toMatchObject({ tasks: [{ task_id: taskId, status: "paused" }] })
    const stale = { "cp_unknown/tc_write": { action: "accept", content: { decision: "approve" } } }
    expect(await client.request("tasks/update", { taskId, inputResponses: stale })).not.toHaveProperty("error")
    expect((await client.request("tasks/get", { taskId })).status).toBe("input_required")
    await client.request("tasks/update", {
      taskId,
      inputResponses: { [key]: { action: "accept", content: { decision: "approve" } } },
    })
    const done = await waitForStatus(taskId, "completed")
    expect(done.result).toMatchObject({
      structuredContent: { task_id: taskId, status: "completed", result: "Deployed." },
    })
    expect(await readFile(path.join(project.cwd, "plan.txt"), "utf8")).toBe("applied\n")
    const late = { [key]: { action: "accept", content: { decision: "reject" } } }
    expect((await client.request("tasks/update", { taskId, inputResponses: late })).error).toMatchObject({
      message: expect.stringMatching(/came too late: call tc_write was already approved at .* by /),
    })
    const { items } = JSON.parse((await project.run("audit", taskId, "--output", "json")).stdout)
    expect(items[0]).toMatchObject({ action: "decide-refused", via: "mcp", actor: "person" })
  })

  it("ends a Task with its envelope", async () => {
    const args = { description: "Look", prompt: "find the config", subagent_type: "explore" }
    const { taskId } = await client.request("tools/call", { name: "Task", arguments: args })
    const done = await waitForStatus(taskId, "completed")
    expect(done.result.structuredContent).toMatchObject({ status: "success", context: { params_input: args } })
  })

  it("ends a spawned session with its announcement", async () => {
    const { taskId } = await client.request("tools/call", { name: "sessions_spawn", arguments: { task: "hello" } })
    const done = await waitForStatus(taskId, "completed")
    expect(done.result.content[0]!.text).toContain(
      `sessionId ${taskId} · transcript adjutant://sessions/${taskId}/transcript`,
    )
    expect(done.result.structuredContent).toMatchObject({
      status: "accepted",
      sessionId: taskId,
      result: expect.any(String),
    })
  })

  it("cancels a task", async () => {
    const { taskId } = await client.request("tools/call", { name: "sessions_spawn", arguments: { task: "slow" } })
    expect(await client.request("tasks/cancel", { taskId })).not.toHaveProperty("error")
    expect(await waitForStatus(taskId, "cancelled")).not.toHaveProperty("result")
  })

  it.each(["tasks/get", "tasks/cancel", "tasks/update"])(
    "%s of an unknown task is a protocol error",
    async (method) => {
      const answer = await client.request(method, { taskId: "nosuch", inputResponses: {} })
      expect(answer.error).toMatchObject({ code: -32_602 })
    },
  )

  it("refuses the requests of the extension from a client that did not declare it", async () => {
    const plain = connectRaw(project, {})
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"])
      expect((await plain.request(method, { taskId: "nosuch", inputResponses: {} })).error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: extension },
      })
    plain.child.stdin.end()
    await plain.ended
  })

  it("answers with a plain result if the arguments are wrong", async () => {
    const answer = await client.request("tools/call", { ...deploy, arguments: { instructions: "x" } })
    expect(answer).toMatchObject({ resultType: "complete", isError: true })
  })
})
