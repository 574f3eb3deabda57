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
    expect.stringMatching(`^\\| #1 \\| ${first?.id} \\| running \\| general: A \\|`),
    expect.stringMatching(`^\\| #2 \\| ${second?.id} \\| running \\| general: B \\|`),
    expect.stringMatching(`^\\| #3 \\| ${third?.id} \\| running \\| general: C \\|`),
  ])
  expect(await answer("/help")).toContain("/steer <id, #n or label> <text>")
  const agents = await answer("/agents")
  expect(agents).toContain(`- ${id} running, thread:t1`)
  expect(agents).toContain(`- ${first?.id} "A" running, unbound`)
  expect(await answer("/info #2")).toMatch(new RegExp(`[^]*label: B\\n[^]*Task ${second?.id} "B": running\\n`))
  expect(await answer("/subagents log #2")).toMatch(/^\[1\] instruction: B/)
  expect(await answer("/info")).toContain(`key: agent:general:main:${id}`)
  expect(await answer("/kill #1")).toMatch(new RegExp(`^${first?.id}(: cancelled| is being cancelled)\\.$`))
  await eventually(() => isCancelled(first?.id))
  expect(await answer("/kill #9")).toBe("no sub-agent of yours is #9\n\n/list shows those that you can name.")
  expect(await answer("/steer B look again")).toMatch(
    new RegExp(`^Steered ${second?.id}: its run \\w+ reads the message at its next safe point\\.$`),
  )
  expect((await harness.client.audit({ sessionId: second?.id ?? "" })).items).toContainEqual(
    expect.objectContaining({ action: "steering", by: "thread t1", via: "channel:team" }),
  )
  expect(await answer("/stop the press")).toContain("/help: this list")
  expect(await answer("/srv is a folder? /srv/x")).toContain("/help: this list")
  expect(await answer("/srv/x is a file")).toBe("You said: /srv/x is a file")
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
  await expect(say("/kill A", "t2")).rejects.toThrow("404")
  await say("Hello.", "t2")
  await eventually(() => thread.said("t2").length === 1)
  expect(await answer("/kill A", "t2")).toContain("no sub-agent of yours is A")
  expect(await answer("/list", "t2")).toBe("There are no sub-agents.")
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
  const shown = await thread.answer("/info")
  expect(shown).toMatch(/Waiting for decisions on tool calls .*:\n- call_1_1:\nWrite a /)
  expect(shown).toMatch(/Nobody can decide in a thread/)
  expect(shown).not.toContain("<")
  await thread.answer("/stop")
})

it("starts a sub-agent, and moves the thread to it and back", async () => {
  thread = await openThread({ model: team, channel: { commands: true } })
  const { say, answer, harness } = thread
  const id = await say("Hello.")
  await eventually(() => thread.said().length === 1)
  const [, child = ""] = /^Started (\w+) \(general\)\.$/.exec(await answer("/spawn general look around")) ?? []
  expect(await harness.client.info(child)).toMatchObject({ parent_session_id: id, agent: "general" })
  await eventually(() => thread.said().length === 3)
  expect(thread.said()[2]).toContain(`Sub-agent ${child} (general): completed`)
  expect(await answer("/session idle 2h")).toMatch(/^The binding ends at /)
  expect(await answer("/session idle soon")).toBe("Use a duration such as 90m, 24h or 1h30m, or off.")
  expect(await answer("/focus #7")).toBe("There is no sub-agent #7: /list shows them.")
  expect(await answer(`/focus ${child}`)).toBe(`This thread continues with ${child}.`)
  expect(await harness.client.channels.sessionOf({ threadKey: "t1" })).toBe(child)
  expect(await answer("/unfocus")).toBe("This thread is no longer bound to a task.")
})

it("goes to the agent in a channel that does not allow commands", async () => {
  thread = await openThread({ model: team })
  expect(await thread.answer("/list")).toBe("You said: /list")
})
