import { describe, expect, it, vi } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { DecideRequest } from "../../../../sessions/decide-request.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { grpcError, noWorker, refusal, unavailable } from "../../client/fake-temporal.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const accept = { action: "accept" } as const
const reject = { action: "reject", content: "no" } as const

const pausedSession = async () => {
  const fixture = await clientFixture()
  const { sessionId, runId } = await fixture.client.start(request)
  const pause = await fixture.pause(sessionId)
  fixture.temporal.onUpdate = () => ({ run_id: runId })
  const decide = (asked: Partial<DecideRequest>) =>
    fixture.client.decide({ sessionId, unlisted: "pending", actor, ...asked })
  const fixturePause = (open: Parameters<typeof fixture.pause>[1]) => fixture.pause(sessionId, open)
  const reopen = (ordinal = 1) => fixturePause({ checkpointId: "cp_again", ordinal })
  return { ...fixture, sessionId, runId, pause, fixturePause, reopen, decide }
}

describe("decide", () => {
  it("sends one update that names the pause and the approver, and returns the run", async () => {
    const { decide, temporal, sessionId, runId, pause } = await pausedSession()
    expect(await decide({ decisions: { call_1: accept, call_2: reject } })).toEqual({ state: "applied", runId })
    const [update] = temporal.execution(sessionId).updates
    expect(update).toMatchObject({
      name: "decide",
      payload: {
        checkpoint_id: pause.checkpointId,
        run_id: runId,
        decisions: { call_1: accept, call_2: reject },
        unlisted: "pending",
        by: "ana",
        via: "cli",
      },
    })
    expect(update?.payload).toHaveProperty("decision_id", update?.id)
  })

  it("requires the checkpoint for a call that is asked about again", async () => {
    const { decide, pause, reopen, store, temporal, sessionId, runId } = await pausedSession()
    const asked = { runId, decisions: { call_1: accept, call_2: accept } }
    await decide(asked)
    await store.pauses.close(sessionId, pause.checkpointId)
    const { checkpointId } = await reopen()
    await expect(decide(asked)).rejects.toMatchObject({
      code: "checkpoint_stale",
      message: expect.stringContaining(checkpointId),
    })
    expect(temporal.execution(sessionId).updates).toHaveLength(1)
    expect(await decide({ ...asked, checkpointId })).toMatchObject({ state: "applied" })
  })

  it("requires it also where a question of another call was answered in between", async () => {
    const { decide, fixturePause, pause, reopen, store, temporal, sessionId, runId } = await pausedSession()
    const asked = { runId, decisions: { call_2: accept } }
    await decide({ ...asked, decisions: { call_1: accept } })
    await decide(asked)
    await store.pauses.close(sessionId, pause.checkpointId)
    const question = await fixturePause({ checkpointId: "cp_question", ordinal: 1, type: "input_required", calls: [] })
    await store.pauses.close(sessionId, question.checkpointId)
    const { checkpointId } = await reopen(2)
    await expect(decide(asked)).rejects.toMatchObject({ code: "checkpoint_stale" })
    expect(temporal.execution(sessionId).updates).toHaveLength(2)
    expect(await decide({ ...asked, checkpointId })).toMatchObject({ state: "applied" })
  })

  it.each([
    ["with its run", true],
    ["without its run", false],
  ])("does not decide a later pause by a decision on all calls that is sent again %s", async (_, namesRun) => {
    const { decide, pause, reopen, store, temporal, sessionId, runId } = await pausedSession()
    const asked = { ...(namesRun ? { runId } : {}), all: accept, actor: { by: "ci", via: "http" } }
    await decide(asked)
    await store.pauses.close(sessionId, pause.checkpointId)
    expect(await decide(asked)).toMatchObject({ state: "applied" })
    const { checkpointId } = await reopen()
    await expect(decide(asked)).rejects.toMatchObject({
      code: "checkpoint_stale",
      message: expect.stringContaining(checkpointId),
    })
    expect(temporal.execution(sessionId).updates).toHaveLength(1)
    expect(await decide({ ...asked, all: reject })).toMatchObject({ state: "applied" })
    expect(temporal.execution(sessionId).updates).toHaveLength(2)
  })

  it("decides a later pause by the same decision on all calls if it names that pause", async () => {
    const ci = { by: "ci", via: "http" }
    const { decide, pause, reopen, store, sessionId, runId } = await pausedSession()
    await decide({ runId, all: accept, actor: ci })
    await store.pauses.close(sessionId, pause.checkpointId)
    const { checkpointId } = await reopen()
    expect(await decide({ runId, all: accept, checkpointId, actor: ci })).toMatchObject({ state: "applied" })
  })

  it("records who decided what, and through which channel, before it sends the decision to the workflow", async () => {
    const { decide, temporal, store, sessionId, pause } = await pausedSession()
    let auditedBefore: string | undefined
    temporal.onUpdate = async () => {
      auditedBefore = (await store.audit.list({ sessionId }))[0]?.action
      return { run_id: "r" }
    }
    await decide({ all: accept, decisions: { call_2: reject } })
    expect(auditedBefore).toBe("decide")
    const [entry] = await store.audit.list({ sessionId })
    expect(entry).toMatchObject({
      action: "decide",
      by: "ana",
      via: "cli",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      detail: { checkpoint_id: pause.checkpointId, decisions: { call_1: "accept", call_2: "reject" } },
    })
  })

  it("sends the decision while its record is written to disk, and answers only after that", async () => {
    const { decide, store, sessionId } = await pausedSession()
    const disk = Promise.withResolvers<void>()
    vi.spyOn(store, "synced").mockReturnValue(disk.promise)
    let isAnswered = false
    const deciding = decide({ all: accept }).finally(() => (isAnswered = true))
    await untilPasses(async () => expect(await store.pauses.current(sessionId)).toBeUndefined())
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    disk.resolve()
    await expect(deciding).resolves.toMatchObject({ state: "applied" })
  })

  it("does not report a decision as applied whose record is not on disk", async () => {
    const { decide, store } = await pausedSession()
    vi.spyOn(store, "synced").mockRejectedValue(new AdjutantError("storage_failed", "the disk is broken"))
    await expect(decide({ all: accept })).rejects.toMatchObject({ code: "storage_failed" })
  })

  const tasksFail = () =>
    new Error("Workflow Update failed", {
      cause: grpcError(9, "Unable to perform workflow execution update due to Workflow Task in failed state."),
    })

  it.each([
    ["no worker answers", noWorker],
    ["Temporal refuses updates because the session's tasks fail", tasksFail],
  ])("falls back to the signal with the same decision id if %s", async (_, failure) => {
    const { decide, temporal, sessionId, runId } = await pausedSession()
    temporal.onUpdate = () => {
      throw failure()
    }
    expect(await decide({ all: accept })).toEqual({ state: "accepted", runId })
    const { signals, updates } = temporal.execution(sessionId)
    expect(signals).toEqual([{ name: "decide", payload: updates[0]?.payload }])
  })

  it("reports that Temporal is unreachable if neither way works", async () => {
    const { decide, temporal } = await pausedSession()
    temporal.before = () => {
      throw unavailable()
    }
    await expect(decide({ all: accept })).rejects.toMatchObject({ code: "temporal_unavailable" })
  })

  it("passes on the workflow's rejection with its code, and does not signal", async () => {
    const { decide, temporal, sessionId, store } = await pausedSession()
    temporal.onUpdate = () => {
      throw refusal("already_decided", "call call_1 already has a different decision (reject)")
    }
    await expect(decide({ decisions: { call_1: accept } })).rejects.toMatchObject({
      code: "already_decided",
      message: "call call_1 already has a different decision (reject)",
    })
    expect(temporal.execution(sessionId).signals).toEqual([])
    expect((await store.audit.list({ sessionId })).map((row) => row.action)).toEqual([
      "decide-refused",
      "decide",
      "start",
    ])
  })

  it("rejects what the store can tell is wrong, and names what is pending", async () => {
    const { decide, temporal, sessionId, client } = await pausedSession()
    await expect(decide({ decisions: { call_9: accept } })).rejects.toMatchObject({
      code: "call_not_found",
      message: expect.stringContaining("call_1, call_2"),
    })
    await expect(decide({ checkpointId: "cp_old", all: accept })).rejects.toMatchObject({ code: "checkpoint_stale" })
    await expect(decide({ runId: "run_old", all: accept })).rejects.toMatchObject({ code: "run_mismatch" })
    await expect(decide({})).rejects.toMatchObject({ code: "invalid_argument" })
    await expect(client.decide({ sessionId: "nobody", unlisted: "pending", actor, all: accept })).rejects.toMatchObject(
      {
        code: "session_not_found",
      },
    )
    expect(temporal.execution(sessionId).updates).toEqual([])
  })

  describe("an approval of all calls", () => {
    const call = (id: string, file: string) => ({ id, name: "Write", arguments: { file_path: file } })
    const guarded = (id: string) => ({ ...call(id, `${id}/.envrc`), isProtected: true })

    const pausedFor = async (...calls: readonly ReturnType<typeof call>[]) => {
      const { client, pause, store, temporal } = await clientFixture()
      const { sessionId, runId } = await client.start(request)
      temporal.onUpdate = () => ({ run_id: runId })
      await pause(sessionId, { calls })
      const decide = (asked: Partial<DecideRequest>) =>
        client.decide({ sessionId, unlisted: "reject", actor, ...asked })
      const audited = async () =>
        (await store.audit.list({ sessionId }))
          .flatMap(({ action, detail }) => (action === "decide" ? [detail["decisions"]] : []))
          .toReversed()
      const pending = async () => (await store.pauses.current(sessionId))?.calls.map(({ id }) => id)
      return { decide, audited, pending, updates: () => temporal.execution(sessionId).updates, runId }
    }

    it("leaves those that change protected files pending, and names them", async () => {
      const { decide, audited, pending, updates, runId } = await pausedFor(
        guarded("config"),
        call("docs", "docs.md"),
        guarded("hook"),
      )
      const partly = { state: "applied", runId, protectedPending: ["config", "hook"] }
      expect(await decide({ all: accept })).toEqual(partly)
      // Calls that nothing else decides are rejected by this sender; these are not.
      expect(updates()).toMatchObject([{ payload: { all: accept, unlisted: "pending" } }])
      expect(await audited()).toEqual([{ docs: "accept" }])
      expect(await pending()).toEqual(["config", "hook"])
      expect(await decide({ all: accept })).toEqual(partly)
      expect(await decide({ decisions: { config: accept, hook: reject }, unlisted: "pending" })).toEqual({
        state: "applied",
        runId,
      })
      expect((await audited()).at(-1)).toEqual({ config: "accept", hook: "reject" })
    })

    it("includes one that it names", async () => {
      const { decide, audited } = await pausedFor(call("docs", "docs.md"), guarded("config"), guarded("hook"))
      expect(await decide({ all: accept, decisions: { config: accept } })).toMatchObject({ protectedPending: ["hook"] })
      expect(await audited()).toEqual([{ config: "accept", docs: "accept" }])
    })

    it("is refused if it would decide nothing, while a rejection of all includes every call", async () => {
      const { decide, updates, audited } = await pausedFor(guarded("config"), guarded("hook"))
      await expect(decide({ all: accept })).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("decide config, hook by id"),
      })
      expect(updates()).toEqual([])
      expect(await decide({ all: reject })).not.toHaveProperty("protectedPending")
      expect(await audited()).toEqual([{ config: "reject", hook: "reject" }])
    })
  })

  it("rejects decisions while the session waits for an answer", async () => {
    const { client, pause, store } = await clientFixture()
    const { sessionId } = await client.start(request)
    await pause(sessionId, { type: "input_required", calls: [] })
    await expect(client.decide({ sessionId, unlisted: "pending", actor, all: accept })).rejects.toMatchObject({
      code: "session_not_paused",
    })
    expect(await store.audit.list({ sessionId })).toMatchObject([
      { action: "decide-refused", by: "ana", detail: { all: "accept", code: "session_not_paused" } },
      { action: "start" },
    ])
  })

  it("rejects a call that was never proposed, whatever the session does", async () => {
    const { client, store } = await clientFixture()
    const { sessionId, runId } = await client.start(request)
    const parts = [{ type: "tool_call", call: { id: "call_1", name: "LS", arguments: {} } } as const]
    const message = { role: "assistant", provider: "p", model: "m", parts, stop: "tool_calls" } as const
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
    await store.messages.put(sessionId, { seq: 1, runId, step: 1, message: { ...message, usage }, fence: 1 })
    await store.sessions.patch(sessionId, { status: "running", headSeq: 1 })
    const decide = (id: string) => client.decide({ sessionId, unlisted: "pending", actor, decisions: { [id]: accept } })
    await expect(decide("call_9")).rejects.toMatchObject({ code: "call_not_found" })
    await expect(decide("call_1")).rejects.toMatchObject({ code: "session_not_paused" })
  })

  it("gives the same decision the same id, so that it is applied once, and another decision another id", async () => {
    const { decide, temporal, sessionId } = await pausedSession()
    await decide({ decisions: { call_1: accept } })
    await decide({ decisions: { call_1: accept }, actor: { by: "ben", via: "http" } })
    await decide({ decisions: { call_2: accept } })
    const ids = temporal.execution(sessionId).updates.map((update) => update.id)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
  })

  it("answers the same decision again after the pause has closed, and a contradicting one with a conflict", async () => {
    const { decide, temporal, sessionId, runId, pause } = await pausedSession()
    const decisions = { call_1: accept, call_2: reject }
    await decide({ decisions })
    const again = { checkpointId: pause.checkpointId, decisions }
    expect(await decide(again)).toEqual({ state: "applied", runId })
    expect(await decide({ decisions })).toEqual({ state: "applied", runId })
    await expect(decide({ decisions: { call_1: reject } })).rejects.toMatchObject({ code: "already_decided" })
    await expect(decide({ checkpointId: pause.checkpointId, all: accept })).rejects.toMatchObject({
      code: "checkpoint_stale",
    })
    expect(temporal.execution(sessionId).updates).toHaveLength(1)
  })

  it("does not treat a decision as repeated if it was rejected the first time", async () => {
    const { decide, temporal, store, sessionId, pause } = await pausedSession()
    temporal.onUpdate = () => {
      throw refusal("already_decided", "someone was first")
    }
    await expect(decide({ all: accept })).rejects.toMatchObject({ code: "already_decided" })
    await store.pauses.close(sessionId, pause.checkpointId)
    await expect(decide({ checkpointId: pause.checkpointId, all: accept })).rejects.toMatchObject({
      code: "checkpoint_stale",
    })
  })

  it("distinguishes a call that was decided in Temporal's UI from one that never was", async () => {
    const { decide, store, sessionId, runId, pause } = await pausedSession()
    await store.events.append(sessionId, [
      {
        type: "decision-recorded",
        runId,
        data: { checkpoint_id: pause.checkpointId, decisions: { call_1: "accept" } },
      },
    ])
    await store.pauses.setCalls(sessionId, pause.checkpointId, ["call_2"])
    await expect(decide({ decisions: { call_1: reject } })).rejects.toMatchObject({ code: "already_decided" })
    expect(await decide({ decisions: { call_1: accept, call_2: accept } })).toMatchObject({ state: "applied" })
  })

  it("reports that the session has ended if its execution was terminated, and records the end", async () => {
    const { decide, temporal, store, sessionId } = await pausedSession()
    temporal.execution(sessionId).status = "TERMINATED"
    await expect(decide({ all: accept })).rejects.toMatchObject({ code: "session_not_running" })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "failed", stopReason: "terminated" })
  })

  it("closes a pause that is decided completely, and keeps a partly decided one open", async () => {
    const { decide, store, sessionId } = await pausedSession()
    await decide({ decisions: { call_1: accept } })
    expect(await store.pauses.current(sessionId)).toBeDefined()
    await decide({ decisions: { call_2: accept }, unlisted: "reject" })
    expect(await store.pauses.current(sessionId)).toBeUndefined()
  })
})
