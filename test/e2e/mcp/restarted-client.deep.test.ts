import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ProjectDirectory } from "../cli/program.ts"
import { connectNew, connectOld, type TestClient } from "./clients.ts"
import { createMcpProject } from "./mcp-project.ts"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createMcpProject()
})
afterAll(() => project.remove())

const find = { description: "Find the file", instructions: "find it", tools: ["LS"] }

describe.each<[string, (...flags: readonly string[]) => Promise<TestClient>]>([
  ["the 1.x client", (...flags) => connectOld(project, { flags })],
  ["the 2.x client, newest revision", (...flags) => connectNew(project, { flags, modern: true })],
])("%s over stdio", (_, connect) => {
  it("finds its own tasks again after it and its server restarted, and another caller does not", async () => {
    const first = await connect()
    const taskId = String((await first.call("dynamic_subagent_task", find)).data["task_id"])
    await first.close()
    const restarted = await connect()
    expect((await restarted.call("get_all_tasks", {})).text).toContain(taskId)
    expect((await restarted.call("wait_for_tasks", { task_ids: taskId })).text).toContain("Found it")
    await restarted.close()
    const other = await connect("--caller", "another")
    expect((await other.call("get_all_tasks", {})).text).not.toContain(taskId)
    expect((await other.call("get_task_details", { task_id: taskId })).text).toContain("TASK_NOT_FOUND")
    await other.close()
  })
})
