import { afterEach, describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contracts/event.ts"
import { eventually } from "../helpers/eventually.ts"
import { getLaneHandle } from "../helpers/engine/lane-harness.ts"
import { type Harness, type HarnessOptions, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { createHeldModel } from "../helpers/models/held-model.ts"
import { createTreeModel } from "../helpers/limits/tree-model.ts"
import { ModelError } from "../../models/model-error.ts"

let harness: Harness
const actor = { by: "test", via: "cli" } as const

const open = async (options: HarnessOptions): Promise<Harness> => {
  harness = await openHarness(options)
  return harness
}

afterEach(() => harness.close())

const texts = async (id: string) =>
  (await harness.client.messages(id)).map(({ seq, message }) => [
    seq,
    message.role === "user" ? message.text : message.role,
  ])

const readEvents = async (id: string): Promise<readonly SessionEvent[]> =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events

const childrenOf = async (id: string) => (await harness.client.list({ parent: id })).items

describe("an instruction", () => {
  it("is in the transcript from its acceptance, while no worker runs, and keeps its place", async () => {
    const { client, start, startWorker, stopWorker } = await open({ model: createFakeModel(() => ({ text: "Done." })) })
    await stopWorker()
    const id = await start({ prompt: "Count the lines.\nAll of them." })
    expect(await texts(id)).toEqual([[1, "Count the lines.\nAll of them."]])
    expect(await client.info(id)).toMatchObject({ title: "Count the lines.", error: null, blocked_by: [] })
    expect(await readEvents(id)).toEqual([])
    await startWorker()
    await client.wait(id)
    expect(await texts(id)).toEqual([
      [1, "Count the lines.\nAll of them."],
      [2, "assistant"],
    ])
    const types = (await readEvents(id)).map(({ type }) => type)
    expect([types[0], types.at(-1)]).toEqual(["run-started", "run-finished"])
    await stopWorker()
    await client.send({ sessionId: id, text: "Again.", type: "message", actor })
    expect((await texts(id)).at(-1)).toEqual([3, "Again."])
    await startWorker()
    await client.wait(id)
    expect((await texts(id)).slice(2)).toEqual([
      [3, "Again."],
      [4, "assistant"],
    ])
    expect((await client.info(id)).title).toBe("Count the lines.")
  })

  it("stays in the transcript of a run that was cancelled before its first step, and later runs follow it", async () => {
    const { client, start, startWorker, stopWorker } = await open({ model: createFakeModel(() => ({ text: "Done." })) })
    const id = await start({ prompt: "first" })
    await client.wait(id)
    await stopWorker()
    await client.send({ sessionId: id, text: "second", type: "message", actor })
    const cancelled = client.cancel(id, actor)
    await startWorker()
    await cancelled
    await eventually(async () => (await client.info(id)).status === "cancelled")
    expect(await texts(id)).toEqual([
      [1, "first"],
      [2, "assistant"],
      [3, "second"],
    ])
    await client.send({ sessionId: id, text: "third", type: "message", actor })
    await client.wait(id)
    expect((await texts(id)).slice(2)).toEqual([
      [3, "second"],
      [4, "third"],
      [5, "assistant"],
    ])
  })

  it("of a queued follow-up is shown when its run starts, before the model has answered", async () => {
    const model = createHeldModel()
    const { client, start } = await open({ model: model.provider })
    const id = await start({ prompt: "first" })
    await eventually(() => model.isWaiting(id))
    expect(await texts(id)).toEqual([[1, "first"]])
    await client.send({ sessionId: id, text: "second", type: "follow_up", actor })
    model.reply(id, { text: "one" })
    await eventually(() => model.isWaiting(id))
    expect((await texts(id)).at(-1)).toEqual([3, "second"])
    model.reply(id, { text: "two" })
    await client.wait(id)
  })
})

describe("a session", () => {
  it("shows its limits with what is used, and why it failed", async () => {
    const { client, start } = await open({ model: createFakeModel(() => ({ text: "", stop: "refusal" })) })
    const id = await start({ max_steps: 5, budget_tokens: 1_000_000, timeout_seconds: 60 })
    await client.wait(id)
    const session = await client.info(id)
    expect(session).toMatchObject({
      status: "failed",
      error: { code: "refusal", message: expect.stringContaining("refused") },
      limits: {
        max_steps: { limit: 5, used: 1 },
        budget_tokens: { limit: 1_000_000, used: 15 },
        budget_usd: { limit: null },
        timeout_seconds: { limit: 60 },
      },
    })
    expect(session.limits?.timeout_seconds.used).toBeGreaterThan(0)
  })

  it("shows each attempt of a model call that is repeated", async () => {
    let calls = 0
    const { client, start } = await open({
      model: {
        respond: (request) => {
          calls += 1
          if (calls === 1) throw new ModelError("retry", "the provider answered 529: overloaded", { status: 529 })
          return createFakeModel(() => ({ text: "Done." })).respond(request)
        },
      },
    })
    const id = await start()
    await client.wait(id)
    const events = await readEvents(id)
    const retries = events.filter(({ type }) => type === "model-retry")
    expect(retries).toEqual([
      expect.objectContaining({ attempt: 1, step: 1, reason: expect.stringContaining("overloaded") }),
    ])
    // The event itself is written when the wait has already begun, or is even over.
    const stepStartedAt = events.find(({ type }) => type === "step-started")?.at ?? ""
    expect(Date.parse(String(retries[0]?.["next_at"]))).toBeGreaterThanOrEqual(Date.parse(stepStartedAt))
  })
})

describe("blocked_by", () => {
  afterEach(async () => {
    await getLaneHandle(harness)
      .terminate()
      .catch(() => undefined)
  })

  it("is the lane while a sub-agent waits for a slot", async () => {
    const model = createHeldModel()
    const { client, start } = await open({ model: model.provider, config: { subagents: { maxConcurrent: 1 } } })
    const id = await start({ prompt: "PARENT" })
    await eventually(() => model.isWaiting(id))
    model.reply(id, {
      calls: [
        ["sessions_spawn", { task: "a" }],
        ["sessions_spawn", { task: "b" }],
      ],
    })
    await eventually(() => model.isWaiting(id))
    model.reply(id, { text: "waiting" })
    await eventually(async () => (await childrenOf(id)).some(({ blocked_by }) => blocked_by[0]?.type === "lane"))
    const children = await childrenOf(id)
    expect(children.map(({ number }) => Number(number)).toSorted((left, right) => left - right)).toEqual([1, 2])
    const queued = children.find(({ blocked_by }) => blocked_by.length > 0)
    expect(queued).toMatchObject({
      status: "pending",
      blocked_by: [{ type: "lane", since: expect.any(String), next_at: null }],
    })
    for (const { id: child } of children.toReversed()) {
      await eventually(() => model.isWaiting(child))
      expect((await client.info(child)).blocked_by).toEqual([])
      model.reply(child, { text: "done" })
    }
    await eventually(() => model.isWaiting(id))
    model.reply(id, { text: "all done" })
    await client.wait(id)
  })

  const writeOnce = (turn: number) =>
    turn === 1 ? { calls: [["Write", { file_path: "x.txt", content: "x" }] as const] } : { text: "written" }

  it("is a paused child, at every level above it, until a person decides", async () => {
    const { client, start } = await open({
      config: { subagents: { maxSpawnDepth: 3 } },
      model: createTreeModel(
        (turn) => (turn === 1 ? { calls: [["sessions_spawn", { task: "middle" }]] } : { text: "ok" }),
        (task, turn) =>
          task === "leaf"
            ? writeOnce(turn)
            : turn === 1
              ? { calls: [["sessions_spawn", { task: "leaf" }]] }
              : { text: "ok" },
      ),
    })
    const id = await start({ prompt: "PARENT", auto_approve: false })
    const document = await client.wait(id)
    const [middle] = await childrenOf(id)
    const [leaf] = await childrenOf(middle?.id ?? "")
    expect(document).toMatchObject({ outcome: "paused", pause_reason: { pending_tool_calls: [{ task_id: leaf?.id }] } })
    expect((await client.info(id)).blocked_by).toMatchObject([{ type: "child_paused", session_ids: [middle?.id] }])
    expect(middle?.blocked_by).toMatchObject([{ type: "child_paused", session_ids: [leaf?.id] }])
    expect(leaf?.blocked_by).toEqual([])
    await client.decide({
      sessionId: leaf?.id ?? "",
      checkpointId: leaf?.checkpoint_id ?? "",
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect((await client.info(id)).blocked_by).toEqual([])
  })

  it("is the paused child of a synchronous call", async () => {
    const { client, start } = await open({
      config: { agents: { general: { delegation: "task" } }, tools: { policy: { Read: "prompt" } } },
      model: createTreeModel(
        (turn) =>
          turn === 1
            ? { calls: [["Task", { description: "read", prompt: "read it", subagent_type: "explore" }]] }
            : { text: "ok" },
        (_, turn) => (turn === 1 ? { calls: [["Read", { file_path: "x.txt" }]] } : { text: "read" }),
      ),
    })
    const id = await start({ prompt: "PARENT", auto_approve: false })
    expect(await client.wait(id)).toMatchObject({ outcome: "paused" })
    const [child] = await childrenOf(id)
    expect((await client.info(id)).blocked_by).toMatchObject([{ type: "child_paused", session_ids: [child?.id] }])
    await client.decide({
      sessionId: child?.id ?? "",
      checkpointId: child?.checkpoint_id ?? "",
      all: { action: "reject" },
      unlisted: "pending",
      actor,
    })
    await eventually(async () => (await client.info(id)).status === "completed")
  })
})
