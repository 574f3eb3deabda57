import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// Anyone with access to Temporal could send a session messages in the form of Adjutant's own programs: as a
// sub-agent's report, with other settings or with a higher budget. They had no row in the audit log.

let harness: Harness
const actor = { by: "carol", via: "cli" }

afterEach(() => harness.close())

/** Starts a session that reads one message after the other: its model waits for `release` before each turn. */
const start = async (continueAsNewAfterEvents = 0) => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  harness = await openHarness({
    config: { timing: { continueAsNewAfterEvents } },
    model: createFakeModel(async (_, turn) => {
      asked.resolve()
      if (turn === 1) await gate.promise
      return { text: `answer ${turn}` }
    }),
  })
  const id = await harness.start({ auto_approve: false })
  await asked.promise
  return { id, release: gate.resolve }
}

const completed = async (id: string): Promise<void> => {
  await eventually(async () => (await harness.handle(id).describe()).status.name === "COMPLETED")
}

const identity = () => harness.temporal.options.identity

const audited = async (id: string) =>
  (await harness.client.audit({ sessionId: id })).items
    .map(({ action, by, via, detail }) => ({ action, by, via, detail }))
    .filter(({ action }) => action !== "start")
    .toReversed()

/** The payload of the latest message that a program signalled to the session. */
const signalledTo = async (id: string): Promise<Record<string, unknown>> => {
  const { events } = await harness.handle(id).fetchHistory()
  const sent = (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
    signal?.signalName === "inbox" ? [signal.input?.payloads?.[0]?.data ?? []] : [],
  )
  return JSON.parse(Buffer.from(sent.at(-1) ?? []).toString("utf8")) as Record<string, unknown>
}

describe("a message in the form of a program", () => {
  it("is audited under the identity in history if it is a signal without a signature", async () => {
    const { id, release } = await start()
    await harness.handle(id).signal("inbox", { id: "msg_1", type: "steering", source: "announce" })
    release()
    await completed(id)
    expect(await audited(id)).toEqual([
      {
        action: "inbox",
        by: identity(),
        via: "temporal",
        detail: { message_id: "msg_1", type: "steering", claimed: { source: "announce" } },
      },
    ])
  })

  it.each([
    ["send", "follow_up"],
    ["steer", "steering"],
  ])("is audited in the same way if it is the update %s", async (name, type) => {
    const { id, release } = await start()
    await harness.store.inbox.put({ id: "msg_1", sessionId: id, source: "follow_up", text: "Continue." })
    const message = { id: "msg_1", type, source: "follow_up", signature: "AAAA" }
    await harness.handle(id).executeUpdate(name, { args: [message] })
    release()
    await completed(id)
    expect(await audited(id)).toEqual([
      {
        action: name,
        by: identity(),
        via: "temporal",
        detail: { message_id: "msg_1", type, claimed: { source: "follow_up" } },
      },
    ])
  })

  it("is not believed with the signature of another message, or for another session", async () => {
    const { id, release } = await start()
    const other = await harness.start({ auto_approve: false })
    await harness.client.send({ sessionId: id, text: "Continue.", type: "follow_up", delivery: "signal", actor })
    const signed = await signalledTo(id)
    expect(signed).toMatchObject({ signature: expect.any(String) })
    await harness.store.inbox.put({ id: "msg_2", sessionId: id, source: "follow_up", text: "Continue." })
    await harness.handle(id).signal("inbox", { ...signed, id: "msg_2" })
    await harness.store.inbox.put({
      id: String(signed["id"]),
      sessionId: other,
      source: "follow_up",
      text: "Continue.",
    })
    await harness.handle(other).signal("inbox", signed)
    release()
    await Promise.all([completed(id), completed(other)])
    expect((await audited(id)).map(({ by, via }) => [by, via])).toEqual([
      ["carol", "cli"],
      [identity(), "temporal"],
    ])
    expect((await audited(other)).map(({ action, by, via }) => [action, by, via])).toEqual([
      ["inbox", identity(), "temporal"],
    ])
  })

  it("says in the audit log that it raised a budget or named a run's settings", async () => {
    const { id, release } = await start()
    const run = await harness.store.runs.latest(id)
    const forged = {
      ...{ id: "msg_1", type: "follow_up", source: "follow_up" },
      new_run: { run_id: "run_forged", snapshot_hash: run?.snapshotHash },
      budget: { micro_usd: null, tokens: null },
    }
    await harness.store.inbox.put({ id: "msg_1", sessionId: id, source: "follow_up", text: "Continue." })
    await harness.handle(id).signal("inbox", forged)
    release()
    await completed(id)
    expect((await audited(id)).map(({ detail }) => detail)).toEqual([
      {
        message_id: "msg_1",
        type: "follow_up",
        claimed: { source: "follow_up", run_id: "run_forged" },
        raises_budget: true,
      },
    ])
  })
})

describe("a model", () => {
  it("is audited under the identity in history if anybody but Adjutant sets it", async () => {
    const { id, release } = await start()
    await harness.client.setModel(id, "light", actor)
    await harness.handle(id).executeUpdate("setModel", { args: ["main"] })
    await harness.handle(id).executeUpdate("setModel", { args: [{ model: "light", signature: "AAAA" }] })
    release()
    await completed(id)
    expect(await audited(id)).toEqual([
      { action: "set-model", by: "carol", via: "cli", detail: { model: "light" } },
      { action: "setModel", by: identity(), via: "temporal", detail: { model: "main" } },
      { action: "setModel", by: identity(), via: "temporal", detail: { model: "light" } },
    ])
  })
})

describe("a retry", () => {
  it("is audited under the identity in history if anybody but Adjutant sends it", async () => {
    const { id, release } = await start()
    await harness.handle(id).signal("retry")
    release()
    await completed(id)
    expect(await audited(id)).toEqual([{ action: "retry", by: identity(), via: "temporal", detail: {} }])
  })
})

describe("messages of every kind", () => {
  it("are audited exactly once, under their senders, while the session continues as new", async () => {
    const { id, release } = await start(15)
    const put = (message: string) =>
      harness.store.inbox.put({ id: message, sessionId: id, source: "follow_up", text: message })
    await put("msg_1")
    await harness.handle(id).signal("inbox", { id: "msg_1", type: "follow_up", source: "follow_up" })
    await harness.client.send({ sessionId: id, text: "By update.", type: "follow_up", actor })
    await harness.client.send({ sessionId: id, text: "By signal.", type: "steering", delivery: "signal", actor })
    await harness.handle(id).executeUpdate("send", { args: ["Typed."] })
    await put("msg_2")
    await harness.handle(id).executeUpdate("send", { args: [{ id: "msg_2", type: "follow_up", source: "follow_up" }] })
    release()
    await completed(id)
    const rows = (await audited(id)).map(({ action, by, via }) => [action, by, via].join(" "))
    expect(rows.toSorted()).toEqual(
      [
        `inbox ${identity()} temporal`,
        "follow_up carol cli",
        "steering carol cli",
        `send ${identity()} temporal`,
        `send ${identity()} temporal`,
      ].toSorted(),
    )
  })
})
