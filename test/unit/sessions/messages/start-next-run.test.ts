import { expect, test } from "vitest"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { grpcError, unavailable } from "../../client/fake-temporal.ts"

// That something runs does not show that a message has arrived: it could be lost, or the outcome of its run be replaced by the one before.

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
  const send = () => client.send({ sessionId, text: "And then?", type: "message", actor })
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
