import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createProject, type Ended, type ProjectDirectory } from "./program.ts"
import { type RemoteProject, startServer } from "./remote-project.ts"

const write = { id: "call_a", name: "Write", arguments: { file_path: "a.txt", content: "a\n" } }

let project: ProjectDirectory
let remote: RemoteProject
beforeAll(async () => {
  project = await createProject({
    main: {
      conversations: [
        {
          when: { user: "^write" },
          turns: [{ reply: { text: "May I?", tool_calls: [write] } }, { repeat: 9, reply: { text: "Done." } }],
        },
      ],
    },
    slow: { turns: [{ reply: { text: "Late.", delay_ms: 600_000 } }] },
  })
  remote = await startServer(project)
})
afterAll(async () => {
  await remote.close()
  await project.remove()
})

const json = ({ stdout }: Ended) => JSON.parse(stdout)
const pausedTask = async (title: string): Promise<string> =>
  json(await remote.run("run", "--pause-on-approval", "write it", "--title", title, "--output", "json")).task_id
const slowTask = async (): Promise<string> =>
  json(await remote.run("run", "--detach", "wait", "--model", "slow", "--output", "json")).task_id

/** The fields of JSON documents have no fixed order. */
const inFixedOrder = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const comparable = ({ code, stdout }: Ended) => ({
  code,
  stdout: inFixedOrder(withoutDifferences(stdout)),
})

/** Removes what differs between two commands in two places: the time, where a task is resumed, and the service of this machine. */
const withoutDifferences = (stdout: string) =>
  stdout
    .replace(/\n\nservice +running .*/, "")
    .replaceAll(` --server ${remote.url}`, "")
    .replace(/\d+[smh] ago|waiting for \S+/g, "<age>")
    .replaceAll(/ +/g, " ")

describe("a thin client", () => {
  it("prints the same as the commands of the server's machine", async () => {
    const id = await pausedTask("a first task")
    await remote.run("cancel", await pausedTask("a second task"))
    for (const command of [
      ["info", id],
      ["list", "--status", "cancelled"],
      ["list", "--limit", "1"],
      ["log", id, "--tools"],
      ["approvals"],
      ["wait", id],
      ["agents"],
    ])
      for (const output of ["json", "text"]) {
        const argv = [...command, "--output", output]
        const [there, here] = await Promise.all([project.run(...argv), remote.run(...argv)])
        expect([argv, comparable(here)]).toEqual([argv, comparable(there)])
      }
  })

  it("sends, steers, waits and cancels", async () => {
    const id = await slowTask()
    const sent = await remote.run("send", id, "one more thing", "--output", "json")
    expect(json(sent)).toMatchObject({ task_id: id, state: "applied" })
    expect(json(await remote.run("steer", id, "stop that", "--output", "json"))).toMatchObject({ state: "applied" })
    const waited = await remote.run("wait", id, "--timeout", "0", "--output", "json")
    expect([waited.code, json(waited).outcome]).toEqual([1, "started"])
    const cancelled = await remote.run("cancel", id, "--output", "json")
    expect([cancelled.code, json(cancelled)]).toMatchObject([0, { task_id: id, status: "cancelled" }])
    expect(json(await remote.run("wait", id, "--output", "json"))).toMatchObject({ stop_reason: "cancelled" })
  })

  it.each([
    ["a command of this machine", ["tree", "abc123"], 2, "adjutant tree works on this machine only"],
    ["an option of this machine", ["list", "--data-dir", "/tmp"], 2, "--data-dir has no effect on a server"],
    ["a delivery, which is retried there", ["retry", "all"], 2, "deliveries are retried on the server's machine"],
    ["a retry of an unknown task", ["retry", "nope"], 2, "there is no session nope"],
    ["an unknown task", ["info", "nope"], 2, "there is no session nope"],
    ["an unknown model, before anything starts", ["run", "hi", "--model", "nope"], 2, "there is no model nope"],
    ["a directory that the server does not have", ["run", "hi", "--cwd", "/nowhere"], 2, "/nowhere"],
  ])("refuses %s", async (_what, argv, code, text) => {
    const ids = async () => json(await remote.run("list", "--output", "json")).items.map(({ id }: { id: string }) => id)
    const before = await ids()
    const ended = await remote.run(...argv)
    expect(ended).toMatchObject({ code, stdout: "" })
    expect(await ids()).toEqual(before)
    expect(ended.stderr).toContain(text)
  })
})
