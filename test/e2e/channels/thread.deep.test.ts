import { writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { eventually } from "../../helpers/eventually.ts"
import { type Chat, createChat } from "../../helpers/http/thread.ts"
import { openReceiver, type OpenReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { createProject, type Ended, type ProjectDirectory } from "../cli/program.ts"
import { type RemoteProject, startServer } from "../cli/remote-project.ts"
import { startTeam } from "./team-model.ts"

const configOf = (modelUrl: string, outboundUrl: string) => ({
  models: { main: { provider: "openai-compatible", model: "big", baseUrl: `${modelUrl}/v1`, apiKeyEnv: "MODEL_KEY" } },
  agents: { patient: { delegation: "sessions", subagents: { reports: "all" } } },
  channels: {
    team: { type: "webhook", outboundUrl, secretEnv: "TEAM_SECRET", commands: true },
    quiet: { type: "webhook", outboundUrl, secretEnv: "TEAM_SECRET", agent: "patient" },
  },
})

let team: Awaited<ReturnType<typeof startTeam>>
let receiver: OpenReceiver
let project: ProjectDirectory
let remote: RemoteProject
let chat: Chat
beforeAll(async () => {
  team = await startTeam()
  receiver = await openReceiver()
  project = await createProject({}, { MODEL_KEY: "key-of-the-model", TEAM_SECRET: receiverSecret, ADJUTANT_TRUST: "1" })
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify(configOf(team.url, receiver.url)))
  remote = await startServer(project)
  chat = createChat(remote.url, receiver)
})
afterAll(async () => {
  await remote.close()
  await project.remove()
  await team.close()
  await receiver.close()
})

const json = ({ code, stdout, stderr }: Ended) => {
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
const infoOf = async (id: string) => json(await remote.run("info", id, "--output", "json"))
/** Returns the sub-agents of a task, in the order in which they were started. */
const childrenOf = async (
  id: string,
): Promise<readonly { readonly id: string; readonly status: string; readonly number: number }[]> =>
  json(await remote.run("list", "--parent", id, "--output", "json")).items.toSorted(
    (left: { readonly number: number }, right: { readonly number: number }) => left.number - right.number,
  )

/** Asks in a new thread for two tasks, and waits until an agent has answered and its sub-agents work. */
const begin = async (place: Chat = chat) => {
  const tasks = team.nextTasks()
  const thread = `thread-${tasks[0]}`
  const id = await place.say(`Please do ${tasks.join(" and ")}.`, thread)
  const said = () => place.said(thread)
  await eventually(() => said().length === 1 && team.haveBegun(...tasks))
  return { id, tasks, thread, said, answer: (text: string) => place.answer(text, thread) }
}

describe("an agent in a thread", () => {
  it("says what it does, answers in a run of its own while its sub-agents work, and continues with each result", async () => {
    const { id, tasks, said, answer } = await begin()
    const [first, second] = tasks
    expect(said()).toEqual(["On it.\n\nStarted, I will report back."])
    expect(await answer("How far?")).toBe("Have: , asked How far?")
    expect(await infoOf(id)).toMatchObject({ status: "running" })
    team.end(first)
    await eventually(() => said().length === 3)
    team.end(second)
    await eventually(() => said().length === 4)
    expect(said().slice(2)).toEqual([`Have: ${first}, asked How far?`, `Have: ${first} ${second}, asked How far?`])
    expect(json(await remote.run("wait", id, "--output", "json"))).toMatchObject({ outcome: "completed", task_id: id })
    expect((await infoOf(id)).runs).toMatchObject([
      { status: "completed", steps_taken: 2 },
      { status: "completed", steps_taken: 3 },
    ])
    expect(receiver.countForged()).toBe(0)
  })

  it("continues with all results together if its profile says so, and gets commands that its channel does not allow", async () => {
    const { id, tasks, said, answer } = await begin(createChat(remote.url, receiver, "quiet"))
    const [first, second] = tasks
    expect(await answer("/list")).toBe("Have: , asked /list")
    team.end(first)
    await eventually(async () => (await childrenOf(id)).some(({ status }) => status === "completed"))
    team.end(second)
    await eventually(() => said().length === 3)
    expect(said()[2]).toBe(`Have: ${first} ${second}, asked /list`)
  })

  it("waits for all its sub-agents where nobody talks to it", async () => {
    const [first, second] = team.nextTasks()
    const running = remote.start("run", `Please do ${first} and ${second}.`, "--output", "json")
    await eventually(() => team.haveBegun(first, second))
    team.end(first)
    team.end(second)
    const document = json(await running.ended)
    expect(document).toMatchObject({ outcome: "completed", final_message: `Have: ${first} ${second}` })
    expect(receiver.requests.filter(({ body }) => body.session_id === document.task_id)).toEqual([])
  })
})

describe("a person in a thread", () => {
  it("lists, explains, steers and stops the work there, and commands show the same", async () => {
    const { id, tasks, thread, answer } = await begin()
    const [one, two] = tasks
    const [first, second] = (await childrenOf(id)).map((child) => child.id)
    const { items } = json(await remote.run("agents", "--output", "json"))
    const { sessions, active } = items.find((agent: { readonly id: string }) => agent.id === "general")
    expect(sessions).toEqual(
      expect.arrayContaining([
        { id, status: "running", label: null, thread: { channel: "team", key: thread } },
        { id: first, status: "running", label: one, thread: null },
        { id: second, status: "running", label: two, thread: null },
      ]),
    )
    expect(active).toBe(sessions.filter(({ status }: { readonly status: string }) => status === "running").length)
    const shown = (await remote.run("agents")).stdout
    expect(shown).toMatch(new RegExp(`^${id} +general +running +${thread} of team`, "m"))
    expect((await answer("/list")).split("\n").slice(2)).toEqual([
      expect.stringContaining(`| #1 | ${first} | running | general: ${one} |`),
      expect.stringContaining(`| #2 | ${second} | running | general: ${two} |`),
    ])
    expect(await answer("/agents")).toContain(`- ${id} running, thread:${thread}`)
    expect(await answer("/info #2")).toContain(`Task ${second} "${two}": running`)
    expect(await answer("/help")).toContain("/steer <id, #n or label> <text>")
    expect(await answer(`/steer ${one} look again`)).toMatch(new RegExp(`^Steered ${first}: its run`))
    const refused = await answer("/stop the press")
    expect(refused).toContain("/steer <id, #n or label> <text>")
    expect(refused).not.toContain("asked")
    expect(await answer("/stop")).toContain(id)
    await eventually(async () => (await infoOf(id)).status === "cancelled")
    await eventually(async () => (await childrenOf(id)).every(({ status }) => status === "cancelled"))
  })

  it("sees and changes when the binding of the thread ends", async () => {
    const { id, thread, answer } = await begin()
    const session = (...argv: readonly string[]) => project.run("session", ...argv)
    const { stdout } = await session("idle", id)
    expect(stdout).toContain(`Task ${id} is bound to thread ${thread} of team (idle 24h00m, max-age off).`)
    expect(stdout).toMatch(/The binding ends at \d{4}-\S+Z\.$/m)
    await session("max-age", id, "2h")
    const changed = json(await session("max-age", id, "--output", "json"))
    expect(changed).toMatchObject({ session_id: id, max_age_ms: 7_200_000 })
    expect(Date.parse(changed.expires_at) - Date.parse(changed.bound_at)).toBe(7_200_000)
    await answer("/stop")
  })
})
