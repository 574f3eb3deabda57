import { afterEach, describe, expect, it } from "vitest"
import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { eventually } from "../../helpers/eventually.ts"
import { openThread, type Thread, type ThreadOptions } from "../../helpers/http/thread.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"

let thread: Thread

afterEach(() => thread.close())

const open = async (model: ModelProvider, options: Omit<ThreadOptions, "model"> = {}): Promise<void> => {
  thread = await openThread({ model, ...options })
}

const usersOf = (request: ModelRequest): readonly string[] =>
  request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []))

/** Sub-agents that end when the test says so, and a parent that reports what it has received in each step. */
const createTeam = (tasks: readonly string[], replies: Readonly<Record<string, string>> = {}) => {
  const ends = new Map(tasks.map((task) => [task, Promise.withResolvers<void>()]))
  const model = createFakeModel(async (request, turn): Promise<FakeReply> => {
    const [first = ""] = usersOf(request)
    const end = ends.get(first)
    if (end !== undefined) {
      await end.promise
      return { text: replies[first] ?? `result of ${first}` }
    }
    if (turn === 1) return { text: "On it.", calls: tasks.map((task) => ["sessions_spawn", { task }] as const) }
    const news = usersOf(request).slice(1).join(" ")
    const results = tasks.filter((task) => news.includes(`result of ${task}`))
    const questions = /how far/.test(news) ? ", asked how far" : ""
    return {
      text:
        results.length + questions.length === 0
          ? "Started, I will report back."
          : `Have: ${results.join(" ")}${questions}`,
    }
  })
  return { model, end: (task: string) => ends.get(task)?.resolve() }
}

const runsOf = async (sessionId: string): Promise<number> => (await thread.harness.store.runs.list(sessionId)).length

describe("an agent in a thread, while its sub-agents work", () => {
  it("says at once what it does, answers in between in a run of its own, and continues with each result", async () => {
    const team = createTeam(["A", "B"])
    await open(team.model)
    const id = await thread.say("Please do A and B.")
    await eventually(() => thread.said().length === 1)
    expect(thread.said()).toEqual(["On it.\n\nStarted, I will report back."])
    team.end("A")
    await eventually(() => thread.said().length === 2)
    expect(await thread.say("how far?")).toBe(id)
    await eventually(() => thread.said().length === 3)
    expect((await thread.harness.client.info(id)).status).toBe("running")
    team.end("B")
    await eventually(() => thread.said().length === 4)
    expect(thread.said().slice(1)).toEqual(["Have: A", "Have: A, asked how far", "Have: A B, asked how far"])
    await thread.harness.client.wait(id)
    expect(await runsOf(id)).toBe(2)
    expect(thread.receiver.countForged()).toBe(0)
  })

  it("continues with all results together if its profile says so", async () => {
    const team = createTeam(["A", "B"])
    await open(team.model, { subagents: { reports: "all" } })
    const id = await thread.say("Please do A and B.")
    await eventually(() => thread.said().length === 1)
    team.end("A")
    await eventually(async () => {
      const { items } = await thread.harness.client.list({ parent: id })
      return items.some(({ status }) => status === "completed")
    })
    team.end("B")
    await eventually(() => thread.said().length === 2)
    expect(thread.said()[1]).toBe("Have: A B")
  })

  it("does not repeat its answer when a sub-agent has nothing to announce", async () => {
    const team = createTeam(["A"], { A: "NO_REPLY" })
    await open(team.model)
    const id = await thread.say("Please do A.")
    await eventually(() => thread.said().length === 1)
    team.end("A")
    await thread.harness.client.wait(id)
    await thread.say("how far?")
    await eventually(() => thread.said().length === 2)
    expect(thread.said()).toEqual(["On it.\n\nStarted, I will report back.", "Have: , asked how far"])
    expect(await runsOf(id)).toBe(2)
  })

  it("waits for all of them where nobody talks to it", async () => {
    const team = createTeam(["A", "B"])
    await open(team.model)
    const id = await thread.harness.start({ prompt: "Please do A and B." })
    team.end("A")
    team.end("B")
    expect(await thread.harness.client.wait(id)).toMatchObject({ final_message: "Have: A B" })
    expect(thread.receiver.requests).toEqual([])
  })
})

describe("the messages to a thread", () => {
  it("keep their order while the receiver is down, and do not delay another thread", async () => {
    const team = createTeam(["A", "B"])
    let isDown = true
    await open(team.model, { answer: (_, { body }) => (isDown && body.thread_key === "t1" ? 503 : 204) })
    const id = await thread.say("Please do A and B.")
    const stored = async () => (await thread.harness.store.deliveries.list({ sessionId: id })).length
    await eventually(async () => (await stored()) === 1)
    team.end("A")
    await eventually(async () => (await stored()) === 2)
    team.end("B")
    await eventually(async () => (await stored()) === 3)
    await thread.say("Hello.", "t2")
    await eventually(() => thread.said("t2").length > 0)
    expect(thread.said()).toEqual([])
    isDown = false
    await eventually(() => thread.said().length === 3)
    expect(thread.said()).toEqual(["On it.\n\nStarted, I will report back.", "Have: A", "Have: A B"])
  })
})
