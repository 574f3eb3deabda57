import { describe, expect, it } from "vitest"
import type { SendRequest } from "../../../../sessions/send-request.ts"
import type { SessionMessage } from "../../../../domain/session/session-message.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { grpcError, noWorker, refusal, unavailable } from "../../client/fake-temporal.ts"

const text = "Only the shell files."

const startedSession = async () => {
  const fixture = await clientFixture()
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  fixture.temporal.onUpdate = () => ({ run_id: runId })
  const send = (asked: Partial<SendRequest>) =>
    fixture.client.send({ sessionId, text, type: "message", actor, ...asked })
  const updates = () => fixture.temporal.execution(sessionId).updates
  const signals = () => fixture.temporal.execution(sessionId).signals
  return { ...fixture, sessionId, runId, send, updates, signals }
}

const idOf = (payload: unknown): string =>
  typeof payload === "object" && payload !== null && "id" in payload ? String(payload.id) : ""

describe("sending to an open session", () => {
  it("stores the text first and sends only its id", async () => {
    const { send, temporal, store, sessionId, runId, updates } = await startedSession()
    let stored: string | undefined
    temporal.onUpdate = async (_name, payload) => {
      stored = (await store.inbox.get(sessionId, idOf(payload)))?.text
      return { run_id: runId }
    }
    expect(await send({ type: "follow_up" })).toEqual({ state: "applied", runId, effect: "queued" })
    expect(stored).toBe(text)
    expect(JSON.stringify(updates())).not.toContain(text)
    expect(updates()[0]).toMatchObject({ name: "send", payload: { type: "follow_up", source: "follow_up" } })
    expect(updates()[0]?.id).toBe(idOf(updates()[0]?.payload))
  })

  it("steers by the steer update", async () => {
    const { send, updates } = await startedSession()
    await send({ type: "steering" })
    expect(updates()[0]).toMatchObject({ name: "steer", payload: { type: "steering", source: "steering" } })
  })

  it("rejects a plain message while the session runs or waits for decisions", async () => {
    const { send, pause, sessionId, updates } = await startedSession()
    await expect(send({})).rejects.toMatchObject({ code: "session_already_running" })
    await pause(sessionId)
    await expect(send({})).rejects.toMatchObject({
      code: "session_already_running",
      message: expect.stringContaining("approve or reject"),
    })
    expect(updates()).toEqual([])
  })

  it("answers an input pause and closes it for those who wait", async () => {
    const { send, pause, store, sessionId, updates } = await startedSession()
    const { checkpointId } = await pause(sessionId, { type: "input_required", calls: [] })
    await send({ checkpointId })
    expect(updates()[0]).toMatchObject({ payload: { source: "input", checkpoint_id: checkpointId } })
    expect(await store.pauses.current(sessionId)).toBeUndefined()
  })

  it("leaves an approval pause open if a follow-up is only queued", async () => {
    const { send, pause, store, sessionId } = await startedSession()
    await pause(sessionId)
    await send({ type: "follow_up" })
    expect(await store.pauses.current(sessionId)).toBeDefined()
  })

  it("signals with the same message if no worker answers", async () => {
    const { send, temporal, updates, signals, runId } = await startedSession()
    temporal.onUpdate = () => {
      throw noWorker()
    }
    expect(await send({ type: "steering" })).toEqual({ state: "accepted", runId, effect: "steered" })
    expect(signals()).toEqual([{ name: "inbox", payload: updates()[0]?.payload }])
  })

  it("passes on a rejection by the workflow", async () => {
    const { send, temporal } = await startedSession()
    temporal.onUpdate = () => {
      throw refusal("session_not_running", "nothing runs")
    }
    await expect(send({ type: "steering" })).rejects.toMatchObject({ code: "session_not_running" })
  })

  it("rejects another run's id and a checkpoint that is no longer open", async () => {
    const { send, pause, sessionId, updates } = await startedSession()
    await expect(send({ type: "follow_up", runId: "run_old" })).rejects.toMatchObject({ code: "run_mismatch" })
    await pause(sessionId, { type: "input_required", calls: [] })
    await expect(send({ checkpointId: "cp_old" })).rejects.toMatchObject({ code: "checkpoint_stale" })
    expect(updates()).toEqual([])
  })

  it("raises the budget at an input pause, and rejects money if the price is unknown", async () => {
    const { send, pause, store, sessionId, updates } = await startedSession()
    await pause(sessionId, { type: "input_required", calls: [] })
    await send({ limits: { budget_usd: 0.5 } })
    expect(updates()[0]?.payload).toMatchObject({ budget: { micro_usd: 500_000, tokens: null } })
    expect(updates()[0]?.payload).not.toHaveProperty("new_run")
    expect((await store.audit.list({ sessionId }))[0]).toMatchObject({ detail: { budget_usd: 0.5 } })
  })

  it("keeps other limits for the run that a queued message may start, and rejects wider ones", async () => {
    const { send, store, updates } = await startedSession()
    await send({ type: "follow_up", limits: { max_steps: 5 } })
    const payload = updates()[0]?.payload
    expect(payload).toHaveProperty("new_run.snapshot_hash")
    const { new_run } = payload as SessionMessage
    expect((await store.snapshots.get(new_run?.snapshot_hash ?? ""))?.limits.maxSteps).toBe(5)
    await expect(send({ type: "follow_up", limits: { max_steps: 31 } })).rejects.toMatchObject({
      code: "limit_widened",
    })
  })

  it("records the sender and the kind of a text, never the text", async () => {
    const { send, store, sessionId } = await startedSession()
    await send({ type: "steering" })
    const rows = await store.audit.list({ sessionId })
    expect(rows[0]).toMatchObject({ action: "steering", by: "ana", via: "cli", detail: { characters: text.length } })
    expect(JSON.stringify(rows)).not.toContain(text)
  })
})

describe("sending to a session that ended", () => {
  const endedSession = async () => {
    const fixture = await startedSession()
    await fixture.finish(fixture.sessionId, "completed", "first answer")
    return fixture
  }

  it("starts the next run by signal-with-start, under the same workflow id", async () => {
    const { send, temporal, store, sessionId, runId, signals } = await endedSession()
    const sent = await send({ type: "message" })
    expect(sent.state).toBe("accepted")
    expect(sent.runId).not.toBe(runId)
    const { options, status } = temporal.execution(sessionId)
    expect(status).toBe("RUNNING")
    expect(options).toMatchObject({ workflowIdReusePolicy: "ALLOW_DUPLICATE", signal: "inbox" })
    expect(options.args[0]).toMatchObject({
      run: { run_id: sent.runId },
      message: { source: "instruction", new_run: { run_id: sent.runId } },
    })
    expect(signals()[0]?.payload).toEqual(
      expect.objectContaining({ id: idOf(signals()[0]?.payload), new_run: expect.anything() }),
    )
    expect(await store.inbox.get(sessionId, idOf(signals()[0]?.payload))).toMatchObject({ text })
    expect(await store.sessions.get(sessionId)).toMatchObject({
      status: "pending",
      runId: sent.runId,
      finalMessage: null,
    })
    expect((await store.runs.get(runId))?.status).toBe("completed")
  })

  it("rejects steering, since nothing runs", async () => {
    const { send } = await endedSession()
    await expect(send({ type: "steering" })).rejects.toMatchObject({ code: "session_not_running" })
  })

  it("accepts the id of the completed document as a checkpoint, and no older one", async () => {
    const { send, client, sessionId } = await endedSession()
    const document = await client.outcome(sessionId)
    expect(document?.outcome).toBe("completed")
    await expect(send({ checkpointId: "cp_older" })).rejects.toMatchObject({ code: "checkpoint_stale" })
    const checkpointId = document?.outcome === "completed" ? document.checkpoint_id : ""
    expect(await client.resolveTarget(checkpointId)).toBe(sessionId)
    await expect(send({ checkpointId })).resolves.toMatchObject({ state: "accepted" })
  })

  it("restores an archived session", async () => {
    const { send, store, sessionId } = await endedSession()
    await store.sessions.archive(sessionId, new Date().toISOString())
    await send({})
    expect((await store.sessions.get(sessionId))?.archivedAt).toBeNull()
  })

  it("shows the session as it was while Temporal is unreachable", async () => {
    const { send, temporal, store, sessionId, runId } = await endedSession()
    temporal.before = () => {
      throw unavailable()
    }
    await expect(send({})).rejects.toMatchObject({ code: "temporal_unavailable" })
    expect(await store.sessions.get(sessionId)).toMatchObject({
      status: "completed",
      runId,
      finalMessage: "first answer",
    })
  })

  it("counts a start whose answer was lost as started", async () => {
    const { send, temporal, store, sessionId } = await endedSession()
    temporal.after = (name) => {
      if (name === "signalWithStart") throw grpcError(4, "deadline exceeded")
    }
    const { runId } = await send({})
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "pending", runId })
  })

  it("starts a run although the row still shows the run that just closed", async () => {
    const { send, temporal, store, finish, sessionId } = await startedSession()
    temporal.onUpdate = async (_name, _payload, execution) => {
      await finish(sessionId, "completed")
      execution.status = "COMPLETED"
      throw grpcError(4, "deadline exceeded")
    }
    const { state, runId } = await send({ type: "follow_up" })
    expect(state).toBe("accepted")
    expect((await store.sessions.get(sessionId))?.runId).toBe(runId)
    expect(temporal.execution(sessionId).status).toBe("RUNNING")
  })

  it("starts a run for a plain message if the execution was terminated without the row's knowledge", async () => {
    const { send, temporal, store, sessionId, runId } = await startedSession()
    temporal.execution(sessionId).status = "TERMINATED"
    const sent = await send({ type: "message" })
    expect(sent.runId).not.toBe(runId)
    expect(await store.runs.get(runId)).toMatchObject({ status: "failed", stopReason: "terminated" })
  })
})

describe("sending to a session that changes meanwhile", () => {
  /** Sends a message that the run reads before it ends; the answer is lost. */
  const sendAndLoseAnswer = async (type: "steering" | "follow_up") => {
    const fixture = await startedSession()
    const { send, temporal, store, finish, sessionId, runId } = fixture
    temporal.onUpdate = async (_name, _payload, execution) => {
      const read = { role: "user", source: type, text: `It says: ${text}` } as const
      await store.messages.putAll(sessionId, [{ seq: 1, runId, step: 1, fence: 1, message: read }])
      await store.sessions.patch(sessionId, { headSeq: 1 })
      await finish(sessionId, "completed")
      execution.status = "COMPLETED"
      throw grpcError(4, "deadline exceeded")
    }
    const sent = await send({ type })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "completed", runId })
    expect(temporal.execution(sessionId).status).toBe("COMPLETED")
    return { sent, runId }
  }

  it("counts a message as applied that the run has read before it ended, and starts none", async () => {
    const { sent, runId } = await sendAndLoseAnswer("steering")
    expect(sent).toEqual({ state: "applied", runId, effect: "steered" })
    expect((await sendAndLoseAnswer("follow_up")).sent).toMatchObject({ state: "applied", effect: "queued" })
  })

  it("starts the next run under the same id for a message that the run has not read", async () => {
    const { send, temporal, store, finish, sessionId, signals } = await startedSession()
    let sentId = ""
    temporal.onUpdate = async (_name, payload, execution) => {
      sentId = idOf(payload)
      await finish(sessionId, "completed")
      execution.status = "COMPLETED"
      throw grpcError(4, "deadline exceeded")
    }
    const sent = await send({ type: "follow_up" })
    expect(sent).toMatchObject({ state: "accepted", effect: "started" })
    expect(signals()).toMatchObject([{ payload: { id: sentId, new_run: { run_id: sent.runId } } }])
    expect(await store.inbox.get(sessionId, sentId)).toMatchObject({ text })
  })

  it("answers the question that is open by then, and refuses an answer that names the one before", async () => {
    const { send, pause, temporal, store, sessionId, runId, updates } = await startedSession()
    let ordinal = 0
    const ask = () => pause(sessionId, { type: "input_required", calls: [], ordinal: ordinal++ })
    const answerOf = async (checkpointId: string) => {
      await store.pauses.close(sessionId, checkpointId)
      await ask()
      temporal.onUpdate = () => ({ run_id: runId })
      throw refusal("checkpoint_stale", "answered")
    }
    const first = await ask()
    temporal.onUpdate = () => answerOf(first.checkpointId)
    expect(await send({})).toMatchObject({ state: "applied", effect: "answered" })
    const [before, after] = updates().map(({ payload }) => (payload as SessionMessage).checkpoint_id)
    expect(before).toBe(first.checkpointId)
    expect(after).not.toBe(first.checkpointId)
    const next = await ask()
    temporal.onUpdate = () => answerOf(next.checkpointId)
    await expect(send({ checkpointId: next.checkpointId })).rejects.toMatchObject({ code: "checkpoint_stale" })
  })
})
