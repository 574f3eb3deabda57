import { expect, test } from "vitest"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { grpcError, unavailable } from "../../client/fake-temporal.ts"

// That something ran was taken for the arrival of a message: it was acknowledged and lost, or the outcome of its run was
// replaced by the one before.

const endedSession = async () => {
  const fixture = await clientFixture()
  const { client, temporal, store } = fixture
  const { sessionId, runId } = await client.start(request)
  await fixture.finish(sessionId, "completed", "first answer")
  const row = () => store.sessions.get(sessionId)
  /** Lets something happen between the effect of the next signal-with-start and the loss of its answer. */
  const loseAnswer = (meanwhile: () => Promise<void>): void => {
    const { signalWithStart } = temporal.workflow
    temporal.workflow.signalWithStart = async (workflowType, options) => {
      await signalWithStart(workflowType, options)
      await meanwhile()
      throw grpcError(4, "deadline exceeded")
    }
  }
  const send = (messageId?: string) =>
    client.send({
      sessionId,
      text: "And then?",
      type: "message",
      actor,
      ...(messageId === undefined ? {} : { messageId }),
    })
  return { ...fixture, sessionId, runId, row, loseAnswer, send }
}

test("a message that did not arrive is sent again to what another one has started", async () => {
  const { temporal, sessionId, send } = await endedSession()
  const execution = temporal.execution(sessionId)
  execution.status = "RUNNING"
  temporal.before = (name) => {
    if (name === "signalWithStart") throw unavailable()
  }
  const { runId } = await send()
  expect(execution.signals).toMatchObject([{ name: "inbox", payload: { new_run: { run_id: runId } } }])
})

test("a message whose answer was lost, and whose run has ended since, keeps the outcome of its run", async () => {
  const { finish, sessionId, runId: before, row, loseAnswer, send } = await endedSession()
  loseAnswer(() => finish(sessionId, "completed", "second answer"))
  const { runId } = await send()
  expect(runId).not.toBe(before)
  expect(await row()).toMatchObject({ status: "completed", runId, finalMessage: "second answer" })
})

test("a message that was not sent leaves the row to a run that another one has started", async () => {
  const { temporal, store, sessionId, row, send } = await endedSession()
  temporal.workflow.signalWithStart = async () => {
    await store.runs.create({ runId: "run_other", sessionId, snapshotHash: "unused" })
    await store.sessions.patch(sessionId, { status: "running", runId: "run_other" })
    throw unavailable()
  }
  await expect(send()).rejects.toMatchObject({ code: "temporal_unavailable" })
  expect(await row()).toMatchObject({ status: "running", runId: "run_other", finalMessage: null })
})

test("a message does not hide a run that another one has just started", async () => {
  const { store, sessionId, row, another } = await endedSession()
  const read = store.sessions.get
  let isFirst = true
  store.sessions.get = async (id) => {
    const found = await read(id)
    if (!isFirst) return found
    isFirst = false
    await store.runs.create({ runId: "run_other", sessionId, snapshotHash: "unused" })
    await store.sessions.patch(sessionId, { status: "running", runId: "run_other" })
    return found
  }
  await another().send({ sessionId, text: "And then?", type: "message", actor })
  expect(await row()).toMatchObject({ status: "running", runId: "run_other" })
})

test("a first message does not count the start of another one as its own", async () => {
  const { client, temporal, store } = await clientFixture({ timing: { engineTimeoutMs: 5_000 } })
  const { id: sessionId } = await client.create({ cwd: request.cwd, actor })
  const { start } = temporal.workflow
  let attempts = 0
  temporal.workflow.start = async (workflowType, options) => {
    attempts += 1
    if (attempts === 2) await start(workflowType, { ...options, args: ["of the other message"] })
    if (attempts === 1) throw unavailable()
    return await start(workflowType, options)
  }
  temporal.onUpdate = () => ({ run_id: "run_other" })
  await client.send({ sessionId, text: "Both?", type: "message", actor })
  const [update] = temporal.execution(sessionId).updates
  expect(update).toMatchObject({ name: "send", payload: { type: "message" } })
  expect(await store.inbox.get(sessionId, update?.id ?? "")).toMatchObject({ text: "Both?" })
})

/** A running session that reads a text, and ends before the sender gets the answer to its update. */
const answerLost = async (reads: boolean) => {
  const fixture = await clientFixture()
  const { client, temporal, store } = fixture
  const { sessionId, runId } = await client.start(request)
  await store.sessions.patch(sessionId, { status: "running" })
  let updated: unknown
  temporal.onUpdate = async (_name, payload, execution) => {
    updated = payload
    const message = { role: "user", source: "steering", text: "Stop there." } as const
    if (reads) await store.messages.put(sessionId, { seq: 1, runId, step: 1, fence: 1, message })
    await store.sessions.patch(sessionId, { headSeq: 1 })
    await fixture.finish(sessionId, "completed")
    execution.status = "COMPLETED"
    throw grpcError(4, "deadline exceeded")
  }
  const send = (type: "steering" | "follow_up") => client.send({ sessionId, text: "Stop there.", type, actor })
  return { ...fixture, sessionId, runId, send, updated: () => updated as { readonly id: string } }
}

test.each(["steering", "follow_up"] as const)(
  "a %s that a run has read before it ended is not sent again",
  async (type) => {
    const { send, store, sessionId, runId } = await answerLost(true)
    expect(await send(type)).toMatchObject({ state: "applied" })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "completed", runId })
  },
)

test("a message that no run has read starts the next one under the same id", async () => {
  const { send, temporal, sessionId, updated } = await answerLost(false)
  const { runId } = await send("follow_up")
  const [signal] = temporal.execution(sessionId).signals
  expect(signal?.payload).toMatchObject({ id: updated().id, new_run: { run_id: runId } })
})
