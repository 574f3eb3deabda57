import { afterEach, describe, expect, it } from "vitest"
import type { Store } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// A message that arrived while a cancelled execution closed was accepted and never read: its run was recorded
// as cancelled later.

const actor = { by: "test", via: "http" }
let harness: Harness

afterEach(() => harness.close())

/** Calls `then` when the outcome of a run is recorded and the execution is still open. */
const afterTheOutcomeIsRecorded =
  (then: (sessionId: string) => Promise<void>) =>
  (store: Store): Store => ({
    ...store,
    transaction: async (body, outlasts) => {
      const ended: string[] = []
      const result = await store.transaction(
        (writes) =>
          body({
            ...writes,
            events: {
              ...writes.events,
              append: async (sessionId, events) => {
                if (events.some(({ type }) => type === "run-finished")) ended.push(sessionId)
                return await writes.events.append(sessionId, events)
              },
            },
          }),
        outlasts,
      )
      for (const sessionId of ended) await then(sessionId)
      return result
    },
  })

describe("a message to a session that was cancelled", () => {
  it("starts the next run although the cancelled execution is still open", async () => {
    const model = createHeldModel()
    let sent = false
    harness = await openHarness({
      model: model.provider,
      shutdownGraceMs: 100,
      workerStore: afterTheOutcomeIsRecorded(async (sessionId) => {
        if (sent) return
        sent = true
        expect((await harness.store.sessions.get(sessionId))?.status).toBe("cancelled")
        await harness.client.send({ sessionId, text: "Again.", type: "message", actor })
        await harness.client.send({ sessionId, text: "And then?", type: "follow_up", actor })
      }),
    })
    const id = await harness.start({ prompt: "Begin." })
    await eventually(() => model.isWaiting(id))
    const first = (await harness.handle(id).describe()).runId
    const cancelled = harness.client.cancel(id, actor)
    await eventually(() => sent && model.isWaiting(id))
    expect((await harness.handle(id).describe()).runId).not.toBe(first)
    model.reply(id, { text: "Here I am." })
    await eventually(() => model.isWaiting(id))
    model.reply(id, { text: "Both are read." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Both are read." })
    expect(await cancelled).toEqual({ status: "cancelled" })
    const statuses = (await harness.store.runs.list(id)).map(({ status }) => status)
    expect(statuses).toEqual(["cancelled", "completed", "completed"])
    const texts = (await harness.client.messages(id)).map(({ message }) => ("text" in message ? message.text : ""))
    expect(texts.filter((text) => text === "Again." || text === "And then?")).toEqual(["Again.", "And then?"])
  })

  it("does not restore messages that were queued before", async () => {
    const model = createHeldModel()
    harness = await openHarness({ model: model.provider, shutdownGraceMs: 100 })
    const id = await harness.start({ prompt: "Begin." })
    await eventually(() => model.isWaiting(id))
    await harness.client.send({ sessionId: id, text: "Later.", type: "follow_up", actor })
    await harness.client.cancel(id, actor)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    expect(await harness.client.info(id)).toMatchObject({ status: "cancelled" })
  })
})
