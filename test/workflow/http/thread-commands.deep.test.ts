import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { openThread, type Thread } from "../../helpers/http/thread.ts"

let thread: Thread

afterEach(() => thread.close())

const tasks = ["A", "B", "C"]

/** Sub-agents that never end by themselves, and a parent that repeats what it was told. */
const team = createFakeModel(async (request, turn) => {
  const texts = request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []))
  if (tasks.includes(texts[0] ?? ""))
    await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
  if (turn === 1 && texts[0] === "Begin.")
    return { text: "On it.", calls: tasks.map((task) => ["sessions_spawn", { task, label: task }] as const) }
  return { text: `You said: ${texts.at(-1)}` }
})

it("lists, explains, steers and cancels the sub-agents of its task, and leaves everything else to the agent", async () => {
  thread = await openThread({ model: team, channel: { commands: true } })
  const { say, answer, harness } = thread
  const id = await say("Begin.")
  await eventually(() => thread.said().length === 1)
  const children = async () => (await harness.client.list({ parent: id })).items
  await eventually(async () => (await children()).every(({ status }) => status === "running"))
  const [third, second, first] = await children()
  const isCancelled = async (sessionId = "") => (await harness.client.info(sessionId)).status === "cancelled"
  const list = await answer("/list")
  expect(list.split("\n").slice(2)).toEqual([
    expect.stringMatching(`^\\| #1 \\| ${first?.id} \\| running \\| A \\|`),
    expect.stringMatching(`^\\| #2 \\| ${second?.id} \\| running \\| B \\|`),
    expect.stringMatching(`^\\| #3 \\| ${third?.id} \\| running \\| C \\|`),
  ])
  expect(await answer("/help")).toContain("/steer <id, #n or label> <text>")
  const agents = await answer("/agents")
  expect(agents).toContain(`- ${id} running, thread:t1`)
  expect(agents).toContain(`- ${first?.id} "A" running, unbound`)
  expect(await answer("/info #2")).toMatch(new RegExp(`^${second?.id} running, general on .*\\n[^]*label: B\\n`))
  expect(await answer("/info")).toContain(`key: agent:general:main:${id}`)
  expect(await answer("/kill #1")).toMatch(new RegExp(`^${first?.id} is (cancelled|being cancelled)\\.$`))
  await eventually(() => isCancelled(first?.id))
  expect(await answer("/kill #9")).toBe("There is no sub-agent #9.")
  expect(await answer("/steer B look again")).toBe(`${second?.id} continues with this at its next safe point.`)
  expect((await harness.client.audit({ sessionId: second?.id ?? "" })).items).toContainEqual(
    expect.objectContaining({ action: "steering", by: "thread t1", via: "channel:team" }),
  )
  expect(await answer("/stop the press")).toBe("You said: /stop the press")
  const stopped = await answer("/stop")
  expect(stopped).toMatch(/^Stopped /)
  for (const stoppedId of [id, second?.id, third?.id]) expect(stopped).toContain(stoppedId)
  for (const stoppedId of [id, second?.id, third?.id]) await eventually(() => isCancelled(stoppedId))
  expect(await answer("/stop")).toBe("Nothing is running.")
  expect((await harness.client.audit({ sessionId: id })).items.find(({ action }) => action === "cancel")).toMatchObject(
    {
      by: "thread t1",
      via: "channel:team",
    },
  )
})

it("does not reach the task of another thread, and executes a repeated command once", async () => {
  thread = await openThread({ model: team, channel: { commands: true } })
  const { say, answer } = thread
  await say("Begin.")
  await eventually(() => thread.said().length === 1)
  expect(await answer("/kill A", "t2")).toBe("There is no sub-agent A.")
  expect(await answer("/list", "t2")).toBe("No tasks.")
  await say("/kill all", "t1", "again")
  await eventually(() => thread.said().length === 2)
  await say("/kill all", "t1", "again")
  expect(thread.said()).toHaveLength(2)
  await answer("/stop")
})

it("explains that a task waits for a decision, which nobody can make in a thread", async () => {
  const asking = createFakeTurns({ text: "I would write.", calls: [["Write", { file_path: "a", content: "b" }]] })
  thread = await openThread({ model: asking, channel: { commands: true } })
  await thread.answer("Write it.")
  const waiting = (await thread.answer("/info")).split("\n").filter((line) => line.startsWith("waiting"))
  expect(waiting).toEqual(["waiting for approval of: Write"])
  await thread.answer("/stop")
})

it("goes to the agent in a channel that does not allow commands", async () => {
  thread = await openThread({ model: team })
  expect(await thread.answer("/list")).toBe("You said: /list")
})
