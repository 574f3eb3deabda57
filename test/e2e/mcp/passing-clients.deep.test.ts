import { appendFile, readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { connectLineClient, type LineAnswer } from "../../helpers/mcp/line-client.ts"
import { createProject, type Ended, type ProjectDirectory } from "../cli/program.ts"

// Health checks, the Inspector's command line and stateless libraries start a server process for each call. Each of them used to carry work, and its end
// used up an attempt of the provider.

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject(
    { main: { turns: [{ reply: { text: "done", delay_ms: 60_000 } }, { reply: { text: "asked again" } }] } },
    { ADJUTANT_TRUST: "1" },
  )
  const { cwd } = project
  const config = path.join(cwd, "adjutant.config.yaml")
  await appendFile(config, "timing: { modelAttempts: 1 }\nsecurity: { sandbox: off }\n")
})
afterAll(() => project.remove())

/** Makes one call in a server process of its own, which ends with its client. */
const callOnce = async (name: string, args: object): Promise<LineAnswer> => {
  const client = connectLineClient({ cwd: project.cwd, env: project.env })
  await client.initialize()
  const answer = await client.request("tools/call", { name, arguments: args }).answer
  expect(await client.disconnect()).toBe(0)
  return answer
}

const structuredOf = ({ result }: LineAnswer): Readonly<Record<string, unknown>> => result?.structuredContent ?? {}
const documentOf = ({ stdout, stderr }: Ended): Readonly<Record<string, unknown>> => {
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout)
}

describe("clients that start a server process for each call", () => {
  it("lose no model call that runs meanwhile, and no command", async () => {
    const task = { description: "slow", instructions: "wait", tools: ["Read"] }
    const started = structuredOf(await callOnce("dynamic_subagent_task", task))
    const id = String(started["task_id"])
    const command = { command: "sleep 5; echo ended > ended.txt", description: "a command" }
    const ofCommand = structuredOf(await callOnce("run_command_task", command))
    const commandId = String(ofCommand["task_id"])
    const statusOf = async () => documentOf(await project.run("info", commandId, "--output", "json"))["status"]
    await eventually(async () => (await statusOf()) === "paused", { timeoutMs: 60_000 })
    expect((await project.run("resume", commandId, "--approve-all", "--detach")).code).toBe(0)
    for (let count = 0; count < 10; count += 1)
      expect((await callOnce("get_task_details", { task_id: id })).result?.isError).not.toBe(true)
    const file = path.join(project.cwd, "ended.txt")
    await eventually(async () => (await readFile(file, "utf8").catch(() => "")) === "ended\n", { timeoutMs: 60_000 })
    const waited = await callOnce("wait_for_tasks", { task_ids: [commandId] })
    expect(waited.result?.content?.[0]?.text).toContain("completed")

    const document = documentOf(await project.run("wait", id, "--output", "json"))
    expect(document).toMatchObject({ outcome: "completed", final_message: "done", steps_taken: 1 })
    const events = (await project.run("wait", id, "--output", "ndjson")).stdout
    expect(events).not.toContain("model-retry")
  })
})
