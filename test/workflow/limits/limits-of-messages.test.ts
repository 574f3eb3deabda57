import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
let release: () => void
/** What the model was asked with, call by call. */
let seen: { readonly model: string; readonly tools: readonly string[] }[]
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const scripted = (model: string) => ({ provider: "scripted" as const, script: "unused.yaml", model })
const tiers: ConfigInput = {
  models: { main: scripted("m"), strong: scripted("s"), weak: scripted("w") },
  modelTiers: [["strong"], ["main"], ["weak"]],
  agents: { general: { delegation: "none" } },
}

/** A session whose model waits in its first turn. */
const startHeld = async (reply: (turn: number, request: ModelRequest) => FakeReply): Promise<string> => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  release = gate.resolve
  seen = []
  harness = await openHarness({
    config: tiers,
    model: createFakeModel(async (request, turn) => {
      seen.push({ model: request.spec.model, tools: request.tools.map(({ name }) => name) })
      asked.resolve()
      if (turn === 1) await gate.promise
      return reply(turn, request)
    }),
  })
  const id = await harness.start({ allowed_tools: ["LS", "Read", "Write"] })
  await asked.promise
  return id
}

const closed = (id: string) => eventually(async () => (await harness.handle(id).describe()).status.name !== "RUNNING")

type MessageLimits = Parameters<Harness["client"]["send"]>[0]["limits"]

const followUp = (sessionId: string, limits: MessageLimits) =>
  harness.client.send({ sessionId, text: "More.", type: "follow_up", ...(limits ? { limits } : {}), actor })

describe("a queued run", () => {
  it("does not get back what the run before it has lost", async () => {
    const id = await startHeld((turn) => ({ text: `answer ${turn}` }))
    await followUp(id, { allowed_tools: ["Read"] })
    await followUp(id, { max_steps: 5 })
    await followUp(id, undefined)
    release()
    await closed(id)
    expect(seen.map(({ tools }) => tools)).toEqual([["LS", "Read", "Write"], ["Read"], ["Read"], ["Read"]])
    const snapshots = await Promise.all(
      (await harness.store.runs.list(id)).map((run) => harness.store.snapshots.get(run.snapshotHash)),
    )
    expect(snapshots.map((snapshot) => [snapshot?.tools, snapshot?.limits.maxSteps])).toEqual([
      [["LS", "Read", "Write"], 100],
      [["Read"], 100],
      [["Read"], 5],
      [["Read"], 5],
    ])
  })

  it("uses the model that its message named, not the one that was set before", async () => {
    const id = await startHeld((turn) => ({ text: `answer ${turn}` }))
    await harness.client.setModel(id, "main", actor)
    await followUp(id, { model: "weak" })
    release()
    await closed(id)
    expect(seen.map(({ model }) => model)).toEqual(["m", "w"])
  })

  it("uses a model that was set later, and shows it", async () => {
    const id = await startHeld((turn) => ({ text: `answer ${turn}` }))
    await followUp(id, { max_steps: 5 })
    await harness.client.setModel(id, "weak", actor)
    release()
    await closed(id)
    expect(seen.map(({ model }) => model)).toEqual(["m", "w"])
    expect(await harness.client.info(id)).toMatchObject({ model: "weak" })
  })

  it("never uses a model above its own, whatever was set", async () => {
    const id = await startHeld((turn) => ({ text: `answer ${turn}` }))
    await followUp(id, { model: "weak" })
    await harness.client.setModel(id, "main", actor)
    release()
    await closed(id)
    expect(seen.map(({ model }) => model)).toEqual(["m", "w"])
    expect(await harness.client.info(id)).toMatchObject({ model: "weak" })
  })
})

describe("limits that come with an answer", () => {
  /** A session that asks after its first turn, and continues with calls after that. */
  const startAsking = async (): Promise<string> => {
    seen = []
    harness = await openHarness({
      config: { agents: { general: { delegation: "none" } } },
      model: createFakeModel((request, turn) => {
        const tools = request.tools.map(({ name }) => name).filter((name) => name !== "finish")
        seen.push({ model: request.spec.model, tools })
        return turn === 1 ? { text: "Which one?" } : { calls: [["LS", {}]] }
      }),
    })
    const id = await harness.start({ allowed_tools: ["LS", "Read", "Write"], pause_on_approval: true, max_steps: 20 })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    return id
  }

  const answer = (sessionId: string, limits: MessageLimits) =>
    harness.client.send({ sessionId, text: "That one.", type: "message", ...(limits ? { limits } : {}), actor })

  it("apply to the run that the answer continues, and to later runs", async () => {
    const id = await startAsking()
    await answer(id, { allowed_tools: ["LS"], max_steps: 3 })
    expect(await harness.client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 3 })
    // The last one is the answer after the steps.
    expect(seen.map(({ tools }) => tools)).toEqual([["LS", "Read", "Write"], ["LS"], ["LS"], ["LS"]])
    const run = await harness.store.runs.latest(id)
    const snapshot = await harness.store.snapshots.get(run?.snapshotHash ?? "")
    expect(snapshot).toMatchObject({ tools: ["LS"], limits: { maxSteps: 3 } })
  })

  it("are rejected if they are wider, and the question stays open", async () => {
    const id = await startAsking()
    await expect(answer(id, { max_steps: 30 })).rejects.toMatchObject({ code: "limit_widened" })
    expect((await harness.client.info(id)).status).toBe("paused")
    await answer(id, undefined)
    expect(await harness.client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 20 })
  })
})

describe("a session's model", () => {
  it("is the weaker one from the answer that named it, and does not block later messages", async () => {
    harness = await openHarness({
      config: tiers,
      model: createFakeModel((_, turn) => ({ text: `What, after ${turn}?` })),
    })
    const id = await harness.start({ pause_on_approval: true })
    await harness.client.wait(id)
    await harness.client.send({ sessionId: id, text: "This.", type: "message", limits: { model: "weak" }, actor })
    await eventually(async () => {
      const { status, steps_taken } = await harness.client.info(id)
      return status === "paused" && steps_taken === 2
    })
    expect(await harness.client.info(id)).toMatchObject({ model: "weak" })
    await harness.client.send({ sessionId: id, text: "That.", type: "message", limits: { max_steps: 9 }, actor })
    await eventually(async () => (await harness.client.info(id)).steps_taken === 3)
    await harness.client.cancel(id, actor)
  })

  it("cannot be raised by an update from the Temporal UI", async () => {
    const id = await startHeld((turn) => (turn === 1 ? { calls: [["LS", {}]] } : { text: "end" }))
    await expect(harness.handle(id).executeUpdate("setModel", { args: [{ model: "strong" }] })).rejects.toThrow()
    release()
    await closed(id)
    expect(seen.map(({ model }) => model)).toEqual(["m", "m"])
  })
})

describe("a budget", () => {
  it("is not raised by an answer to a question, even if the answer comes by signal", async () => {
    harness = await openHarness({
      model: createFakeModel((_, turn) => (turn < 3 ? { text: "What?" } : { calls: [["finish", { result: "done" }]] })),
    })
    const id = await harness.start({ pause_on_approval: true, budget_tokens: 100_000 })
    await eventually(async () => (await harness.client.info(id)).status === "paused")
    await harness.client.send({
      sessionId: id,
      text: "That.",
      type: "message",
      limits: { budget_tokens: 9_000_000 },
      delivery: "signal",
      actor,
    })
    await eventually(async () => (await harness.client.info(id)).steps_taken === 2)
    const history = await harness.handle(id).fetchHistory()
    const budgets = (history.events ?? []).flatMap((event) => {
      const data = event.activityTaskScheduledEventAttributes?.input?.payloads?.[0]?.data
      return data ? [/"budget":\{[^}]*"tokens":(\d+)/.exec(Buffer.from(data).toString())?.[1]] : []
    })
    expect(budgets).toEqual(["100000", "99985"])
    await harness.client.cancel(id, actor)
  })
})
