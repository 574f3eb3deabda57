import { describe, expect, it } from "vitest"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sessionSchema } from "../../../contracts/session/session.ts"
import { newWorkerIdentity } from "../../../engine/workers/has-worker.ts"
import { actor, clientFixture, request } from "./client-fixture.ts"
import { unavailable } from "./fake-temporal.ts"

const runningSession = async (timing = {}) => {
  const fixture = await clientFixture({ timing })
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  return { ...fixture, sessionId, runId }
}

describe("info", () => {
  it("returns the session of the contract, with null for absent values", async () => {
    const { client, sessionId, runId } = await runningSession()
    expect(sessionSchema.parse(await client.info(sessionId))).toMatchObject({
      id: sessionId,
      session_key: `agent:general:main:${sessionId}`,
      status: "running",
      stop_reason: null,
      title: "Count the lines.",
      run_id: runId,
      checkpoint_id: null,
      pause_reason: null,
      final_message: null,
      usage: { cost_usd: 0 },
    })
  })

  it("returns no text if a run failed before any, and the empty text of a run that completed", async () => {
    const { client, store, sessionId } = await runningSession()
    await store.sessions.patch(sessionId, { status: "failed", stopReason: "error", finalMessage: "" })
    expect(await client.info(sessionId)).toMatchObject({ status: "failed", final_message: null })
    await store.sessions.patch(sessionId, { status: "completed", stopReason: "completed" })
    expect(await client.info(sessionId)).toMatchObject({ status: "completed", final_message: "" })
  })

  it("lists what is pending while the session is paused", async () => {
    const { client, pause, sessionId } = await runningSession()
    const { checkpointId } = await pause(sessionId)
    expect(await client.info(sessionId)).toMatchObject({
      status: "paused",
      checkpoint_id: checkpointId,
      pause_reason: { type: "tool_approval_required", pending_tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
    })
  })

  it.each([
    ["TERMINATED", "failed", "terminated"],
    ["TIMED_OUT", "timed_out", "timeout"],
    ["CANCELLED", "cancelled", "cancelled"],
    ["FAILED", "failed", "error"],
  ] as const)(
    "trusts the engine: %s is shown as %s (%s) without a pause, and nothing is written",
    async (engine, status, stopReason) => {
      const { client, store, temporal, pause, sessionId } = await runningSession()
      const { checkpointId } = await pause(sessionId)
      const row = await store.sessions.get(sessionId)
      temporal.execution(sessionId).status = engine
      const shown = { status, stop_reason: stopReason, checkpoint_id: null, engine_state: "ended" }
      expect(await client.info(sessionId)).toMatchObject(shown)
      expect(await client.tree(sessionId)).toMatchObject(shown)
      expect((await client.report(sessionId)).facts).toMatchObject({ status, stopReason, pause: null })
      expect(await client.outcome(sessionId)).toMatchObject({ outcome: "failed", stop_reason: stopReason })
      expect(await store.sessions.get(sessionId)).toEqual(row)
      expect(await store.pauses.current(sessionId)).toMatchObject({ checkpointId })
    },
  )

  it("does not treat a session that Temporal does not know as lost, however old it is", async () => {
    const { client, another, store, temporal } = await clientFixture()
    const { sessionId } = await client.start(request)
    temporal.executions.clear()
    expect(await client.info(sessionId)).toMatchObject({ status: "pending", engine_state: "not_found" })
    const old = another({ startGraceMs: 0, missingConfirmMs: 0 })
    for (const _ of [1, 2])
      expect(await old.info(sessionId)).toMatchObject({ status: "pending", engine_state: "not_found" })
    expect(await store.missing.get(sessionId)).toBeUndefined()
  })

  it("shows at once that a session was terminated before any worker accepted it", async () => {
    const { client, temporal } = await clientFixture()
    const { sessionId } = await client.start(request)
    temporal.execution(sessionId).status = "TERMINATED"
    expect(await client.info(sessionId)).toMatchObject({ status: "failed", stop_reason: "terminated" })
  })

  it("never changes a final status, whatever the engine returns", async () => {
    const { client, temporal, finish, sessionId } = await runningSession()
    await finish(sessionId, "completed")
    temporal.execution(sessionId).status = "TERMINATED"
    expect((await client.info(sessionId)).status).toBe("completed")
  })

  it("completes a record that another process began", async () => {
    const { client, temporal, store, sessionId, runId } = await runningSession()
    await store.runs.patch(runId, { status: "completed", stopReason: "completed", finalMessage: "all of it" })
    temporal.execution(sessionId).status = "COMPLETED"
    expect(await client.info(sessionId)).toMatchObject({
      status: "completed",
      stop_reason: "completed",
      final_message: "all of it",
    })
  })

  it("returns the record while Temporal is unreachable", async () => {
    const { client, temporal, sessionId } = await runningSession()
    temporal.before = () => {
      throw unavailable()
    }
    expect(await client.info(sessionId)).toMatchObject({
      ...{ status: "running", engine_state: "unknown" },
      blocked_by: [{ type: "engine", since: null, reason: "Temporal does not answer", next_at: null }],
    })
  })

  it("says that an open session waits for a store that refuses writes, and not for one that accepts them again", async () => {
    const { client, store, sessionId } = await runningSession()
    const full = new AdjutantError("storage_failed", "the disk of the session store is full: free some space")
    const failing = () => Promise.reject(full)
    await expect(store.transaction(failing)).rejects.toBe(full)
    const since: unknown = expect.stringMatching(/^\d{4}-/)
    const blocked = { type: "store", since, reason: full.message, next_at: null }
    expect(await client.info(sessionId)).toMatchObject({ status: "running", blocked_by: [blocked] })
    expect((await client.list({})).items).toMatchObject([{ blocked_by: [blocked] }])
    await store.probe()
    expect(await client.info(sessionId)).toMatchObject({ blocked_by: [] })
  })

  it("returns the record while another Temporal server answers", async () => {
    const { another, temporal, store, sessionId } = await runningSession()
    temporal.namespaceId = "namespace-2"
    temporal.execution(sessionId).status = "TERMINATED"
    const row = await store.sessions.get(sessionId)
    expect(await another().info(sessionId)).toMatchObject({ status: "running", engine_state: "unknown" })
    expect(await store.sessions.get(sessionId)).toEqual(row)
  })
})

describe("cancel", () => {
  it("cancels in Temporal and returns the final status", async () => {
    const { client, temporal, finish, store, sessionId } = await runningSession()
    temporal.onCancel = async () => await finish(sessionId, "cancelled")
    expect(await client.cancel(sessionId, actor)).toEqual({ status: "cancelled" })
    expect((await store.audit.list({ sessionId }))[0]).toMatchObject({ action: "cancel", by: "ana", via: "cli" })
  })

  it("changes nothing in a final session", async () => {
    const { client, temporal, finish, store, sessionId } = await runningSession()
    await finish(sessionId, "completed")
    temporal.onCancel = () => {
      throw new Error("cancelled although final")
    }
    expect(await client.cancel(sessionId, actor)).toEqual({ status: "completed" })
    expect((await store.audit.list({ sessionId })).map(({ action }) => action)).not.toContain("cancel")
  })

  it("returns the current status if no worker ends the session in time", async () => {
    const { client, sessionId } = await runningSession()
    expect(await client.cancel(sessionId, actor)).toEqual({ status: "running" })
  })

  it("records the end of an execution that was already closed", async () => {
    const { client, temporal, sessionId } = await runningSession()
    temporal.execution(sessionId).status = "TERMINATED"
    expect(await client.cancel(sessionId, actor)).toEqual({ status: "failed" })
  })

  it("rejects the id of another run", async () => {
    const { client, sessionId } = await runningSession()
    await expect(client.cancel(sessionId, actor, "run_old")).rejects.toMatchObject({ code: "run_mismatch" })
  })

  it("reports that Temporal is unreachable", async () => {
    const { client, temporal, sessionId } = await runningSession()
    temporal.before = () => {
      throw unavailable()
    }
    await expect(client.cancel(sessionId, actor)).rejects.toMatchObject({ code: "temporal_unavailable" })
  })
})

describe("lists", () => {
  it("return sessions from rows, without the engine", async () => {
    const { client, temporal, sessionId } = await runningSession()
    const second = await client.start(request)
    temporal.before = () => {
      throw unavailable()
    }
    const page = await client.list({ limit: 1 })
    expect(page.items.map((item) => item.id)).toEqual([second.sessionId])
    const rest = await client.list({ limit: 1, cursor: page.next_cursor ?? "" })
    expect(rest.items.map((item) => item.id)).toEqual([sessionId])
    expect((await client.list({ status: "running" })).items).toHaveLength(1)
  })

  it("return what is waiting for a decision, with the owner of each call", async () => {
    const { client, pause, sessionId, runId } = await runningSession()
    const { checkpointId } = await pause(sessionId)
    expect(await client.approvals()).toMatchObject({
      items: [
        {
          session_id: sessionId,
          run_id: runId,
          checkpoint_id: checkpointId,
          type: "tool_approval_required",
          message: "May I?",
          pending: [{ id: "call_1", task_id: sessionId, checkpoint_id: checkpointId }, { id: "call_2" }],
        },
      ],
      next_cursor: null,
    })
    expect((await client.approvals({ root: sessionId })).items).toHaveLength(1)
    await expect(client.approvals({ root: "other1" })).rejects.toMatchObject({ code: "session_not_found" })
  })
})

describe("watch", () => {
  it("replays from the reader's position, and follows until the signal fires", async () => {
    const { client, store, sessionId, runId } = await runningSession()
    await store.events.append(sessionId, [
      { type: "run-started", runId, data: {} },
      { type: "step-started", runId, data: { step: 1 } },
    ])
    const controller = new AbortController()
    const seen: string[] = []
    for await (const event of client.watch(sessionId, { after: 1, signal: controller.signal })) {
      seen.push(event.type)
      if (event.type === "step-started")
        await store.events.append(sessionId, [{ type: "run-finished", runId, data: {} }])
      else controller.abort()
    }
    expect(seen).toEqual(["step-started", "run-finished"])
  })
})

describe("hasWorker", () => {
  const secondsAgo = (seconds: number) => ({ seconds: Date.now() / 1_000 - seconds, nanos: 0 })

  it("counts a poller that was seen within the last minute", async () => {
    const { client, temporal } = await clientFixture()
    expect(await client.hasWorker()).toBe(false)
    temporal.pollers = [{ identity: "worker-on-another-machine", lastAccessTime: secondsAgo(200) }]
    expect(await client.hasWorker()).toBe(false)
    temporal.pollers = [{ identity: "worker-on-another-machine", lastAccessTime: secondsAgo(10) }]
    expect(await client.hasWorker()).toBe(true)
  })

  it("does not count a process of this machine that is gone", async () => {
    const { client, temporal } = await clientFixture()
    const identity = newWorkerIdentity()
    temporal.pollers = [{ identity: identity.replace(/^\d+/, "999999999"), lastAccessTime: secondsAgo(1) }]
    expect(await client.hasWorker()).toBe(false)
    temporal.pollers = [{ identity, lastAccessTime: secondsAgo(1) }]
    expect(await client.hasWorker()).toBe(true)
  })
})
