import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { runsPerHour } from "../../sessions/messages/admit-message.ts"
import type { ModelProvider, ModelRequest } from "../../models/model-provider.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../helpers/models/fake-model.ts"
import { type Receiver, receiverSecret, startReceiver } from "../helpers/http/webhook-receiver.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
let receiver: Receiver
afterEach(() => harness.close())

const open = async (model: ModelProvider, config: ConfigInput = {}): Promise<void> => {
  receiver = await startReceiver()
  const team = { type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM", agent: "talker" } as const
  harness = await openHarness({
    model,
    env: { TEAM: receiverSecret },
    config: {
      agents: { talker: { type: "llm", prompt: "Talk.", delegation: "sessions", maxSteps: 4 } },
      channels: { team },
      timing: { deliveryInitialMs: 10, deliveryMaxMs: 40 },
      ...config,
    },
  })
}

let messages = 0
const say = async (text: string): Promise<string> => {
  const message = { thread_key: "t1", text, message_id: `m${(messages += 1)}` }
  const reception = await harness.client.channels.receive("team", message)
  if (reception.kind !== "accepted") throw new Error("the message was not accepted")
  return reception.sessionId
}
const said = (): readonly string[] => receiver.effects.map(({ body }) => body.text)

const usersOf = (request: ModelRequest): readonly string[] =>
  request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []))

/** A parent that starts one sub-agent and answers each message, and the sub-agent, which ends when the test says so. */
const createTeam = (first: FakeReply = { text: "I wait for it." }) => {
  const end = Promise.withResolvers<void>()
  const model = createFakeModel(async (request, turn): Promise<FakeReply> => {
    const users = usersOf(request)
    if (users[0] === "CHILD") {
      const isCancelled = new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(new Error("aborted")))
      })
      await Promise.race([end.promise, isCancelled])
      return { text: "the child's result" }
    }
    if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD", label: "helper" }]] }
    if (turn === 2) return first
    const last = users.at(-1) ?? ""
    const reports = users.filter((text) => text.includes("the child's result")).length
    return { text: `${last.includes("the child's result") ? "It is done" : last}, reports: ${reports}` }
  })
  return { model, end: () => end.resolve() }
}

const runsOf = (id: string) => harness.store.runs.list(id)
const childOf = async (id: string) => (await harness.client.list({ parent: id })).items[0]

describe("a message in a thread", () => {
  it("begins a run of its own, which takes over the sub-agents of the one before", async () => {
    const team = createTeam()
    await open(team.model)
    const id = await say("Do it.")
    await eventually(() => said().length === 1)
    for (let count = 1; count <= 6; count += 1) {
      await say(`are you there ${count}?`)
      await eventually(() => said().length === 1 + count)
    }
    expect((await childOf(id))?.status).toBe("running")
    team.end()
    await eventually(() => said().length === 8)
    expect(said()).toEqual([
      "I wait for it.",
      ...Array.from({ length: 6 }, (_, index) => `are you there ${index + 1}?, reports: 0`),
      "It is done, reports: 1",
    ])
    await harness.client.wait(id)
    const runs = await runsOf(id)
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => "completed"))
    expect(await childOf(id)).toMatchObject({ status: "completed" })
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    expect(events.filter(({ type }) => type === "child-finished")).toHaveLength(1)
  })

  it("ends a call that waits for sub-agents", async () => {
    const team = createTeam({ calls: [["sessions_yield", {}]] })
    await open(team.model)
    const id = await say("Do it.")
    const yields = async () =>
      (await harness.client.messages(id)).some(({ message }) => JSON.stringify(message).includes("sessions_yield"))
    await eventually(async () => (await childOf(id))?.status === "running" && (await yields()))
    await say("are you there?")
    await eventually(() => said().length === 1)
    team.end()
    await eventually(() => said().length === 2)
    expect(said()).toEqual(["are you there?, reports: 0", "It is done, reports: 1"])
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(["completed", "completed"])
  })

  it("is queued with a note while the agent works", async () => {
    const answer = Promise.withResolvers<void>()
    await open(
      createFakeModel(async (request, turn) => {
        if (turn === 1) await answer.promise
        return { text: `to ${usersOf(request).at(-1)}` }
      }),
    )
    const id = await say("one")
    await eventually(async () => (await harness.client.info(id)).status === "running")
    await say("two")
    await eventually(() => said().length === 1)
    expect(said()).toEqual([expect.stringContaining("Your message is queued")])
    answer.resolve()
    await eventually(() => said().length === 3)
    expect(said().slice(1)).toEqual(["to one", "to two"])
  })

  it("above the limit of an hour is read with the next one, which a note says once", async () => {
    await open(createFakeModel((request) => ({ text: usersOf(request).at(-1) ?? "" })))
    const id = await say("first")
    await eventually(() => said().length === 1)
    const change = async (begun: (before: readonly number[]) => readonly number[]) => {
      const { internal } = (await harness.store.sessions.get(id))!
      const thread = internal["thread"] as { readonly begun: readonly number[]; readonly held: readonly string[] }
      await harness.store.sessions.patch(id, {
        internal: { ...internal, thread: { ...thread, begun: begun(thread.begun) } },
      })
    }
    await change(([at = 0]) => Array.from({ length: runsPerHour }, () => at))
    await say("second")
    await say("third")
    await eventually(() => said().length === 2)
    expect(said()[1]).toMatch(/60 runs within an hour.*after \d\d:\d\d UTC/)
    expect(await runsOf(id)).toHaveLength(1)
    await change((before) => before.slice(1))
    await say("fourth")
    await eventually(() => said().length === 3)
    expect(said()[2]).toBe("second\n\nthird\n\nfourth")
    expect(await runsOf(id)).toHaveLength(2)

    await change(([at = 0]) => Array.from({ length: runsPerHour }, () => at))
    await say("fifth")
    const actor = { by: "a person", via: "cli" }
    for (const [text, read] of [
      ["continue", "fifth\n\ncontinue"],
      ["and then?", "and then?"],
    ] as const) {
      const before = said().length
      await harness.client.send({ sessionId: id, text, type: "follow_up", actor })
      await eventually(() => said().length > before)
      expect(said().at(-1)).toBe(read)
    }
  })
})

describe("a run that has used its steps while sub-agents work", () => {
  it("leaves them to the next run in a thread, which the first message begins", async () => {
    const team = createTeam({ calls: [["LS", {}]] })
    await open(team.model, {
      agents: { talker: { type: "llm", prompt: "Talk.", delegation: "sessions", maxSteps: 2 } },
    })
    const id = await say("Do it.")
    await eventually(async () => (await harness.client.info(id)).status === "failed")
    expect((await childOf(id))?.status).toBe("running")
    await say("and now?")
    await eventually(() => said().some((text) => text.startsWith("and now?")))
    team.end()
    await eventually(() => said().includes("It is done, reports: 1"))
    expect((await runsOf(id)).map(({ stopReason }) => stopReason)).toEqual(["max_steps", "completed"])
  })

  it("has their results told in the thread, and read by the next run once", async () => {
    const team = createTeam({ calls: [["LS", {}]] })
    await open(team.model, {
      agents: { talker: { type: "llm", prompt: "Talk.", delegation: "sessions", maxSteps: 2 } },
    })
    const id = await say("Do it.")
    await eventually(async () => (await harness.client.info(id)).status === "failed")
    team.end()
    await eventually(() => said().some((text) => text.includes("the child's result")))
    await say("and now?")
    await eventually(() => said().some((text) => text === "and now?, reports: 1"))
    expect(said().filter((text) => text.includes("the child's result"))).toHaveLength(1)
  })

  it("has them cancelled elsewhere, and names them in its document", async () => {
    const team = createTeam({ calls: [["LS", {}]] })
    // Where no sandbox works, the run would also be warned of that.
    await open(team.model, { security: { sandbox: "off" } })
    const id = await harness.start({ prompt: "Do it.", max_steps: 2 })
    const document = await harness.client.wait(id)
    const child = await childOf(id)
    expect(child?.status).toBe("cancelled")
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "max_steps",
      warnings: [{ code: "children_cancelled", message: expect.stringContaining(`${child?.id} ("helper")`) }],
    })
  })
})
