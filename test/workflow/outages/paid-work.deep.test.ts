import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { ModelProvider } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import { createAssistantReply, type FakeReply, countTurn } from "../../helpers/models/fake-model.ts"
import { createAwayStore, type Failure, type StoreCall } from "../../helpers/store/away-store.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

/** How many store calls fail in a row: more than a model call has attempts in these tests. */
const failures = 4

/** Fails the first calls for which the test says how. */
const failing = (decide: (call: StoreCall) => Failure) => {
  let left = failures
  return (call: StoreCall): Failure => {
    const failure = left > 0 ? decide(call) : undefined
    if (failure !== undefined) left -= 1
    return failure
  }
}

/** A model that streams nothing, so that each store call of an activity is one that the activity awaits. */
const silentModel = (replies: readonly FakeReply[]) => {
  const asked: number[] = []
  const model: ModelProvider = {
    respond: async (request) => {
      const turn = countTurn(request)
      asked.push(turn)
      return createAssistantReply(replies[turn - 1] ?? { text: "Done." }, turn)
    },
  }
  return { asked, model }
}

const toolThat = (execute: () => void): Tool => ({
  name: "Pay",
  description: "Pays.",
  input: z.strictObject({}),
  idempotent: false,
  readOnly: false,
  execute: async () => {
    execute()
    return { content: "paid" }
  },
})

const both = ["before", "after"] as const

describe("while the store is away", () => {
  it.each(both)("a model's answer is paid for once where its write fails %s it takes effect", async (failure) => {
    const { asked, model } = silentModel([{ text: "Done." }])
    harness = await openHarness({
      model,
      config: { timing: { modelAttempts: 2 } },
      workerStore: (store) =>
        createAwayStore(
          store,
          failing(({ activity, method }) =>
            activity === "callModel" && asked.length > 0 && method === "transaction" ? failure : undefined,
          ),
        ),
    })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect(asked).toEqual([1])
    const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
    expect(events.filter(({ type }) => type === "usage-updated")).toHaveLength(1)
  })

  it("a model call that an outage prevents uses up no attempt", async () => {
    const { asked, model } = silentModel([{ text: "Done." }])
    harness = await openHarness({
      model,
      config: { timing: { modelAttempts: 1 } },
      workerStore: (store) =>
        createAwayStore(
          store,
          failing(({ activity }) => (activity === "callModel" ? "before" : undefined)),
        ),
    })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(asked).toEqual([1])
  })

  it.each(both)(
    "a tool that is not safe to repeat runs once where its result's write fails %s it takes effect",
    async (failure) => {
      let paid = 0
      harness = await openHarness({
        model: silentModel([{ calls: [["Pay", {}]] }]).model,
        tools: [toolThat(() => (paid += 1))],
        workerStore: (store) =>
          createAwayStore(
            store,
            failing(({ activity, method }) =>
              activity === "runTool" && paid > 0 && method === "transaction" ? failure : undefined,
            ),
          ),
      })
      const id = await harness.start({ allowed_tools: ["Pay"] })
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
      expect(paid).toBe(1)
      const results = (await harness.client.messages(id)).flatMap(({ message }) =>
        message.role === "tool" ? [message] : [],
      )
      expect(results).toMatchObject([{ outcome: "ok", content: "paid" }])
      const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
      expect(events.filter(({ type }) => type === "tool-finished")).toHaveLength(1)
    },
  )

  it.each(both)(
    "a tool that is not safe to repeat runs once where its claim fails %s it takes effect",
    async (failure) => {
      let paid = 0
      harness = await openHarness({
        model: silentModel([{ calls: [["Pay", {}]] }]).model,
        tools: [toolThat(() => (paid += 1))],
        workerStore: (store) =>
          createAwayStore(
            store,
            failing(({ activity, method }) =>
              activity === "runTool" && paid === 0 && method === "transaction" ? failure : undefined,
            ),
          ),
      })
      const id = await harness.start({ allowed_tools: ["Pay"] })
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
      expect(paid).toBe(1)
      const results = (await harness.client.messages(id)).flatMap(({ message }) =>
        message.role === "tool" ? [message] : [],
      )
      expect(results).toMatchObject([{ outcome: "ok", content: "paid" }])
    },
  )

  it("an announcement that was received is not sent again", async () => {
    const receiver = await startReceiver()
    harness = await openHarness({
      model: silentModel([]).model,
      env: { HOOK_SECRET: receiverSecret },
      config: { webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET" }] },
      workerStore: (store) =>
        createAwayStore(
          store,
          failing(({ activity, args }) =>
            activity === "deliver" && args.includes("delivered") ? "before" : undefined,
          ),
        ),
    })
    const id = await harness.start()
    await harness.client.wait(id)
    await eventually(async () => (await harness.client.deliveries.list()).items[0]?.status === "delivered")
    expect(receiver.requests).toHaveLength(1)
  })

  it("a cancel reaches a call whose answer cannot be written", async () => {
    const { asked, model } = silentModel([{ text: "Done." }])
    let failed = 0
    let away = true
    harness = await openHarness({
      model,
      workerStore: (store) =>
        createAwayStore(store, ({ activity, method }) => {
          if (!away || activity !== "callModel" || asked.length === 0 || method !== "transaction") return undefined
          failed += 1
          return "before"
        }),
    })
    const id = await harness.start()
    await eventually(() => failed >= 2)
    await harness.client.cancel(id, { by: "test", via: "cli" })
    away = false
    expect((await harness.store.sessions.get(id))?.status).toBe("cancelled")
    expect(asked).toEqual([1])
  })
})
