import { afterEach, expect, it } from "vitest"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"

// A sub-agent that stays open in its own thread kept its parent from continuing as new, although it is not its child in Temporal: the parent's
// history grew until it was full, and then the parent waited.

const continueAsNewAfterEvents = 40

let harness: Harness
let release: () => void
afterEach(async () => {
  release()
  await harness.close()
})

const holdChild = (): Promise<void> => {
  const held = Promise.withResolvers<void>()
  release = held.resolve
  return held.promise
}

const first = ({ messages: [message] }: ModelRequest): string => (message?.role === "user" ? message.text : "")
const announced = ({ messages }: ModelRequest): string =>
  messages.flatMap((message) => (message.role === "user" && message.source === "announce" ? [message.text] : [])).join()

/** Starts a session in a thread whose sub-agent `CHILD` stays open in another one and answers when it is released. */
const startParent = async (
  reply: (turn: number, request: ModelRequest) => FakeReply | Promise<FakeReply>,
  released: Promise<void>,
): Promise<string> => {
  const receiver = await startReceiver()
  harness = await openHarness({
    env: { TEAM: receiverSecret },
    config: {
      channels: { team: { type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM" } },
      timing: { continueAsNewAfterEvents, deliveryInitialMs: 10, deliveryMaxMs: 40 },
    },
    model: createFakeModel(async (request, turn) => {
      if (first(request) === "CHILD") {
        await released
        return { text: "child says one" }
      }
      return turn === 1
        ? { calls: [["sessions_spawn", { task: "CHILD", thread: true, mode: "session" }]] }
        : reply(turn, request)
    }),
  })
  const reception = await harness.client.channels.receive("team", {
    ...{ thread_key: "t1", text: "PARENT", message_id: "m1" },
  })
  if (reception.kind !== "accepted") throw new Error("the message was not accepted")
  return reception.sessionId
}

const executionOf = async (id: string): Promise<string> => (await harness.handle(id).describe()).runId

const childOf = async (id: string): Promise<string> => (await harness.client.list({ parent: id })).items[0]?.id ?? ""

/** Starts a parent that waits for its sub-agent, which has begun and is held. */
const startWaitingParent = async (): Promise<string> => {
  const id = await startParent(
    (_, request) => (announced(request).includes("child says one") ? { text: "Parent is done." } : { text: "Waits." }),
    holdChild(),
  )
  await eventually(async () => (await childOf(id)) !== "")
  return id
}

const expectEnd = async (id: string): Promise<void> => {
  await eventually(async () => (await harness.client.info(id)).final_message === "Parent is done.", {
    timeoutMs: 20_000,
  })
  const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
  expect(events.filter(({ type }) => type === "child-finished")).toMatchObject([
    { child_session_id: await childOf(id) },
  ])
  const row = await harness.store.runs.get((await harness.store.sessions.get(id))?.runId ?? "")
  expect(row?.spending?.childrenTokens).toBeGreaterThan(0)
}

it("a parent takes steps in further executions while its open session works", async () => {
  const released = holdChild()
  const executions = new Set<string>()
  const id = await startParent(async (turn, request) => {
    if (announced(request).includes("child says one")) return { text: "Parent is done." }
    if (executions.size > 2) {
      release()
      return { text: "Waits." }
    }
    executions.add(await executionOf(request.cacheKey))
    return { calls: [["Read", { file_path: `${turn}` }]] }
  }, released)
  await expectEnd(id)
  expect(executions.size).toBeGreaterThan(2)
})

it("a parent that waits for its open session waits in a further execution", async () => {
  const id = await startWaitingParent()
  const begun = await executionOf(id)
  // Each signal costs events, as reports of sub-agents do.
  await eventually(
    async () => {
      await harness.handle(id).signal("binding")
      return (await executionOf(id)) !== begun
    },
    { timeoutMs: 20_000 },
  )
  release()
  await expectEnd(id)
})

// Temporal may deliver the report of an earlier run late, or twice.
it("a parent keeps its open session running when the end of another of its runs is reported", async () => {
  const id = await startWaitingParent()
  const child = await childOf(id)
  await eventually(async () => (await harness.client.info(child)).status === "running")
  await harness.handle(id).signal("child", { id: child, run_id: "another", status: "ended" })
  // What the signal begins happens in the task that handles it, before a query.
  await harness.handle(id).query("status")
  release()
  await expectEnd(id)
  expect(await harness.client.info(child)).toMatchObject({ stop_reason: "completed", final_message: "child says one" })
})
