import { existsSync } from "node:fs"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { connectNew, type TestClient } from "./clients.ts"

// A client of `adjutant mcp --no-approve` continued a session of `adjutant run`, in which every call runs
// without approval.

const writing = (id: string, file_path: string) => ({
  reply: { tool_calls: [{ id, name: "Write", arguments: { file_path, content: "x" } }] },
})
const saying = (text: string) => ({ reply: { text } })

let project: ProjectDirectory
const isThere = (name: string): boolean => existsSync(path.join(project.cwd, name))

beforeEach(async () => {
  const turns = [writing("tc_1", "first.txt"), saying("First."), writing("tc_2", "second.txt"), saying("Second.")]
  project = await createProject({ main: { conversations: [{ turns }] } })
})
afterEach(() => project.remove())

const statusOf = async (id: string): Promise<string> =>
  JSON.parse((await project.run("info", id, "--output", "json")).stdout).status

const ways: Readonly<Record<string, (client: TestClient, id: string) => ReturnType<TestClient["call"]>>> = {
  sessions_send: (client, id) => client.call("sessions_send", { sessionKey: id, message: "Again." }),
  resume_task: (client, id) => client.call("resume_task", { task_id: id, prompt: "Again." }),
}

describe("adjutant mcp --no-approve", () => {
  it.each(Object.keys(ways))("continues a session of adjutant run under its policy, sent by %s", async (way) => {
    const { stdout } = await project.run("run", "write it", "--output", "json")
    const { session_id: id } = JSON.parse(stdout)
    expect(isThere("first.txt")).toBe(true)
    const client = await connectNew(project, { flags: ["--no-approve", "--all-sessions"] })
    try {
      expect((await ways[way]?.(client, id))?.isError).toBe(false)
      await eventually(async () => (await statusOf(id)) === "paused", { timeoutMs: 60_000 })
      expect(isThere("second.txt")).toBe(false)
    } finally {
      await client.close()
    }
    const resumed = await project.run("resume", id, "--approve-all", "--output", "json")
    expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: "completed", final_message: "Second." })
    expect(isThere("second.txt")).toBe(true)
  })

  it("is required for that: without the flag the client may approve", async () => {
    const { stdout } = await project.run("run", "write it", "--output", "json")
    const client = await connectNew(project, { flags: ["--all-sessions"] })
    try {
      await client.call("sessions_send", { sessionKey: JSON.parse(stdout).session_id, message: "Again." })
      await eventually(() => isThere("second.txt"), { timeoutMs: 60_000 })
    } finally {
      await client.close()
    }
  })
})
