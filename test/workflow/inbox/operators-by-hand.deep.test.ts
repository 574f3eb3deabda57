import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// An operator with only Temporal's own tools sent decisions without the ids that programs create, and was
// rejected; steering outside a pause was not audited, nor were the calls of a decision; and the query `tree`
// returned no children.

let harness: Harness

afterEach(() => harness.close())

const audited = async (id: string) =>
  (await harness.client.audit({ sessionId: id })).items
    .filter(({ via }) => via === "temporal")
    .map(({ action, detail }) => [action, detail])

const write = (path: string): [string, Record<string, unknown>] => ["Write", { file_path: path, content: "x" }]

const pausedOnTwo = async (): Promise<string> => {
  harness = await openHarness({
    config: {},
    model: createFakeTurns({ calls: [write("a.txt"), write("b.txt")] }, { text: "Done." }),
  })
  const id = await harness.start({ auto_approve: false })
  await harness.client.wait(id)
  return id
}

const completes = (id: string) => eventually(async () => (await harness.client.info(id)).status === "completed")

const outcomes = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) =>
    message.role === "tool" ? [[message.call_id, message.outcome]] : [],
  )

describe("an operator", () => {
  it("decides by the signal `decide` with decisions only, and the audit names the calls", async () => {
    const id = await pausedOnTwo()
    await harness
      .handle(id)
      .signal("decide", { decisions: { call_1_1: { action: "reject", content: "secret words" } } })
    await harness.handle(id).signal("decide", { all: { action: "accept" } })
    await completes(id)
    expect(await outcomes(id)).toEqual([
      ["call_1_1", "rejected"],
      ["call_1_2", "ok"],
    ])
    await eventually(async () => (await audited(id)).length === 2)
    expect((await audited(id)).toReversed()).toEqual([
      ["decide", { decisions: { call_1_1: "reject" } }],
      ["decide", { decisions: {}, all: "accept" }],
    ])
  })

  it("decides by the update `decide`, whose own id identifies a repetition, and is told what is wrong", async () => {
    const id = await pausedOnTwo()
    const decide = (args: unknown, updateId?: string) =>
      harness.handle(id).executeUpdate("decide", { args: [args], ...(updateId === undefined ? {} : { updateId }) })
    const refused = decide({ decisions: { call_9: { action: "accept" } } })
    await expect(refused).rejects.toMatchObject({
      cause: { message: expect.stringContaining("call call_9 is not pending") },
    })
    const first = { decisions: { call_1_1: { action: "accept" } } }
    expect(await decide(first, "mine")).toMatchObject({ run_id: expect.any(String) })
    expect(await decide(first, "mine")).toMatchObject({ run_id: expect.any(String) })
    await decide({ decisions: { call_1_2: { action: "custom_result", content: "mine" } } })
    await completes(id)
    expect(await outcomes(id)).toEqual([
      ["call_1_1", "ok"],
      ["call_1_2", "custom"],
    ])
    await eventually(async () => (await audited(id)).length === 2)
  })

  it("steers and sends by updates with a plain text, even while the session runs, and is audited", async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    harness = await openHarness({
      config: {},
      model: createFakeModel(async (_, turn) => {
        asked.resolve()
        if (turn === 1) await gate.promise
        return turn === 1 ? { calls: [["LS", { path: "." }]] } : { text: `answer ${turn}` }
      }),
    })
    const id = await harness.start({ auto_approve: false })
    await asked.promise
    const update = (name: string, value: unknown) => harness.handle(id).executeUpdate(name, { args: [value] })
    await update("steer", "Faster.")
    await update("send", "And then this.")
    await expect(update("send", { text: "x", type: "nonsense" })).rejects.toMatchObject({
      cause: { message: expect.stringContaining("type must be") },
    })
    gate.resolve()
    const texts = async () =>
      (await harness.client.messages(id)).flatMap(({ message }) =>
        message.role === "user" ? [[message.source, message.text]] : [],
      )
    await eventually(async () => (await texts()).length === 3)
    expect(await texts()).toEqual([
      ["instruction", "Do it."],
      ["steering", "Faster."],
      ["follow_up", "And then this."],
    ])
    await eventually(async () => (await audited(id)).length === 2)
    expect((await audited(id)).toReversed()).toEqual([
      ["steer", {}],
      ["send", {}],
    ])
  })

  it("finds in the audit which of its signals were ignored, and why", async () => {
    const id = await pausedOnTwo()
    await harness.handle(id).signal("approve", "call_9")
    await harness.handle(id).signal("input", "nobody asked")
    await harness.handle(id).signal("approve", "call_1_1")
    await harness.handle(id).signal("decide", { decisions: { call_8: { action: "accept" } } })
    await harness.handle(id).signal("reject", 7)
    await harness.handle(id).signal("decide", { all: { action: "accept" } })
    await completes(id)
    await eventually(async () => (await audited(id)).length === 6)
    expect((await audited(id)).toReversed()).toEqual([
      ["approve", { calls: "call_9", ignored: "no call call_9 waits here" }],
      ["input", { ignored: "the session does not wait for an answer" }],
      ["approve", { calls: "call_1_1" }],
      ["decide", { decisions: { call_8: "accept" }, ignored: expect.stringContaining("call_8") }],
      ["reject", { calls: 7, ignored: expect.any(String) }],
      ["decide", { decisions: {}, all: "accept" }],
    ])
  })

  it("finds an ignored signal in the audit where it sent no other", async () => {
    const id = await pausedOnTwo()
    await harness.handle(id).signal("approve", "call_9")
    const { checkpoint_id } = await harness.client.info(id)
    expect(checkpoint_id).not.toBeNull()
    await harness.client.cancel(id, { by: "carol", via: "cli" })
    await eventually(async () => (await audited(id)).length === 1)
    expect(await audited(id)).toEqual([["approve", { calls: "call_9", ignored: "no call call_9 waits here" }]])
  })

  it("sees a session's children by the query `tree`", async () => {
    harness = await openHarness({
      config: { agents: { general: { type: "llm", delegation: "tasks" } } },
      model: createFakeModel((request, turn) => {
        const [first] = request.messages
        const isParent = first?.role === "user" && first.text === "Do it."
        if (!isParent) return turn === 1 ? { calls: [write("a.txt")] } : { text: "Child done." }
        return turn === 1
          ? { calls: [["dynamic_subagent_task", { description: "d", instructions: "CHILD", tools: ["Write"] }]] }
          : { text: "Waiting." }
      }),
    })
    const id = await harness.start({ auto_approve: false })
    const tree = () => harness.handle(id).query<{ children: readonly { status: string }[] }>("tree")
    await eventually(async () => (await tree()).children[0]?.status === "paused")
    const [child] = (await harness.client.tree(id)).children
    expect(await tree()).toEqual({
      session_id: id,
      status: "paused",
      children: [{ session_id: child?.id, status: "paused", children: [] }],
    })
    await harness.handle(child?.id ?? "").signal("approve", "all")
    await eventually(async () => (await tree()).children[0]?.status === "completed")
  })
})
