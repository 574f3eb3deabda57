import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { connectLineClient, type LineAnswer, type LineClient } from "../../helpers/mcp/line-client.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject({ main: { turns: [{ reply: { text: "Late.", delay_ms: 4_000 } }] } })
})
afterAll(() => project.remove())

const connect = async (): Promise<LineClient> => {
  const client = connectLineClient(project)
  await client.initialize()
  return client
}

const call = (client: LineClient, name: string, args: object) =>
  client.request("tools/call", { name, arguments: args }).answer

const textOf = ({ result }: LineAnswer): string => result?.content?.[0]?.text ?? ""
const brief = { description: "Late", instructions: "wait", tools: ["LS"] }

const start = async (client: LineClient): Promise<string> =>
  String((await call(client, "dynamic_subagent_task", brief)).result?.structuredContent?.["task_id"])

const killService = async (): Promise<void> => {
  process.kill((await findService(project.dataDir))?.status.pid ?? 0, "SIGKILL")
  await eventually(async () => (await findService(project.dataDir)) === undefined)
}

const listed = async (): Promise<number> => {
  const { stdout } = await project.run("list", "--output", "json")
  return JSON.parse(stdout).items.length
}

describe("an MCP client whose service is lost", () => {
  it("keeps its connection, and its call waits until the task has ended", async () => {
    const client = await connect()
    const waiting = call(client, "wait_for_tasks", { task_ids: await start(client) })
    await killService()
    expect(textOf(await waiting)).toContain("Late.")
    expect(await client.disconnect()).toBe(0)
  })

  it("starts one task by a call that was lost with the service and sent again", async () => {
    const client = await connect()
    const before = await listed()
    const prompt = { description: "Look", prompt: "look around", subagent_type: "explore" }
    const asked = call(client, "Task", prompt)
    await eventually(async () => (await listed()) > before, { timeoutMs: 30_000 })
    await killService()
    expect((await asked).result?.structuredContent).toMatchObject({ status: "success" })
    expect(await listed()).toBe(before + 1)
    expect(await client.disconnect()).toBe(0)
  })

  it("is told so after the service was stopped on purpose, and only then not served", async () => {
    const client = await connect()
    const id = await start(client)
    await project.run("service", "stop", "--now")
    expect(textOf(await call(client, "get_all_tasks", {}))).toMatch(/^SERVICE_UNAVAILABLE: .* was stopped/)
    await project.run("service", "start")
    expect(textOf(await call(client, "wait_for_tasks", { task_ids: id }))).toContain("Late.")
    expect(await client.disconnect()).toBe(0)
  })
})
