import { describe, expect, it } from "vitest"
import { outcomeDocumentSchema } from "../../../../contracts/session/outcome-document.ts"
import { actor, clientFixture } from "../../client/client-fixture.ts"
import { childOf, runningSession } from "../../client/running-session.ts"
import { treeCheckpointOf } from "../../../../sessions/pauses/tree-pause.ts"
import { noWorker, unavailable } from "../../client/fake-temporal.ts"

describe("wait", () => {
  it("returns a completed run with its own steps, usage and the id to resume by", async () => {
    const { client, store, finish, sessionId, runId } = await runningSession()
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 1 }
    const entry = { sessionId, step: 1, fence: 1, model: "main", ...usage, costMicroUsd: 20 }
    await store.usage.put({ ...entry, runId })
    await store.usage.put({ ...entry, runId: "run_earlier" })
    await finish(sessionId, "completed", "42 lines")
    const document = await client.wait(sessionId)
    expect(outcomeDocumentSchema.parse(document)).toEqual({
      outcome: "completed",
      task_id: sessionId,
      session_id: sessionId,
      checkpoint_id: runId,
      final_message: "42 lines",
      steps_taken: 2,
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 1,
        cost_usd: 0.00002,
      },
    })
  })

  it("is woken by the event log, long before it would check by itself", async () => {
    const { client, finish, sessionId } = await runningSession({ checkIntervalMs: 3_600_000 })
    const waiting = client.wait(sessionId)
    await finish(sessionId, "completed")
    expect((await waiting)?.outcome).toBe("completed")
  })

  it("notices an end that has no event", async () => {
    const { client, store, sessionId, runId } = await runningSession()
    const waiting = client.wait(sessionId)
    await store.runs.patch(runId, { status: "completed", stopReason: "completed", finalMessage: "ok" })
    await store.sessions.patch(sessionId, { status: "completed", stopReason: "completed" })
    expect(await waiting).toMatchObject({ outcome: "completed", final_message: "ok" })
  })

  it("notices that the workflow was terminated, and records it once for all readers", async () => {
    const { client, another, temporal, store, sessionId, runId } = await runningSession()
    const waiting = Promise.all([client.wait(sessionId), another().wait(sessionId)])
    temporal.execution(sessionId).status = "TERMINATED"
    for (const document of await waiting)
      expect(document).toMatchObject({ outcome: "failed", stop_reason: "terminated", error: { code: "terminated" } })
    expect(await store.runs.get(runId)).toMatchObject({ status: "failed", stopReason: "terminated" })
    const { events } = await store.events.read(sessionId, { after: 0, limit: 100 })
    expect(events.filter((event) => event.type === "run-finished")).toHaveLength(1)
  })

  it("gives up when the time is up, and cancels nothing", async () => {
    const { client, temporal, sessionId } = await runningSession()
    expect(await client.wait(sessionId, { timeoutSeconds: 0.02 })).toBeUndefined()
    expect(temporal.execution(sessionId).status).toBe("RUNNING")
  })

  it("ends with the signal's reason", async () => {
    const { client, sessionId } = await runningSession({ checkIntervalMs: 3_600_000 })
    const controller = new AbortController()
    const waiting = client.wait(sessionId, { signal: controller.signal })
    controller.abort(new Error("interrupted"))
    await expect(waiting).rejects.toThrow("interrupted")
  })

  it("survives a short outage of Temporal, and not a long one", async () => {
    const short = await runningSession({ outageToleranceMs: 60_000 })
    let failures = 3
    short.temporal.before = () => {
      if (failures-- > 0) throw unavailable()
      void short.finish(short.sessionId, "completed")
    }
    expect((await short.client.wait(short.sessionId))?.outcome).toBe("completed")
    const long = await runningSession()
    long.temporal.before = () => {
      throw unavailable()
    }
    await expect(long.client.wait(long.sessionId)).rejects.toMatchObject({ code: "temporal_unavailable" })
  })

  it("rejects an unknown session at once", async () => {
    const { client } = await clientFixture()
    await expect(client.wait("nobody")).rejects.toMatchObject({ code: "session_not_found" })
  })
})

describe("paused documents", () => {
  it("name the one pending call, or approve all, or ask for input", async () => {
    const { client, store, pause, sessionId } = await runningSession()
    const two = await pause(sessionId)
    expect(outcomeDocumentSchema.parse(await client.wait(sessionId))).toMatchObject({
      outcome: "paused",
      checkpoint_id: two.checkpointId,
      agent_message: "May I?",
      resume_hint: `adjutant run -c ${two.checkpointId} --approve-all`,
      pause_reason: {
        type: "tool_approval_required",
        pending_tool_calls: [
          { id: "call_1", name: "Bash", arguments: { command: "ls" } },
          { id: "call_2", name: "Write", arguments: { file_path: "a" } },
        ],
      },
    })
    await store.pauses.setCalls(sessionId, two.checkpointId, ["call_2"])
    expect(await client.outcome(sessionId)).toMatchObject({
      resume_hint: `adjutant run -c ${two.checkpointId} --approve call_2`,
    })
    await store.pauses.close(sessionId, two.checkpointId)
    const input = await pause(sessionId, { ordinal: 1, type: "input_required", calls: [], message: "Which?" })
    expect(await client.outcome(sessionId)).toMatchObject({
      pause_reason: { type: "input_required" },
      agent_message: "Which?",
      resume_hint: `adjutant run -c ${input.checkpointId} "<your input>"`,
    })
  })

  it("are not shown again for a pause that was just decided", async () => {
    const { client, another, pause, finish, sessionId, runId, temporal } = await runningSession()
    await pause(sessionId)
    temporal.onUpdate = () => ({ run_id: runId })
    await client.decide({ sessionId, all: { action: "accept" }, unlisted: "reject", actor })
    expect(await another().outcome(sessionId)).toBeUndefined()
    const waiting = client.wait(sessionId)
    await finish(sessionId, "completed")
    expect((await waiting)?.outcome).toBe("completed")
  })

  it("are not shown again for a decision that waits for a worker, unless the workflow says that the pause is open", async () => {
    const { client, pause, sessionId, temporal } = await runningSession()
    const { checkpointId } = await pause(sessionId)
    temporal.onUpdate = () => {
      throw noWorker()
    }
    await client.decide({ sessionId, all: { action: "accept" }, unlisted: "reject", actor })
    expect(await client.outcome(sessionId)).toBeUndefined()
    temporal.onQuery = () => ({ status: "running", checkpoint_id: null })
    expect(await client.outcome(sessionId)).toBeUndefined()
    temporal.onQuery = () => ({ status: "paused", checkpoint_id: checkpointId })
    expect(await client.outcome(sessionId)).toMatchObject({ outcome: "paused", checkpoint_id: checkpointId })
  })

  it("of a tree wait until nothing in it changes, and name each call's owner", async () => {
    const fixture = await runningSession()
    const { client, store, pause, sessionId } = fixture
    await childOf(fixture, "child1")
    await childOf(fixture, "child2")
    await store.sessions.patch(sessionId, { status: "paused" })
    const first = await pause("child1", { calls: [{ id: "a", name: "Bash", arguments: {} }] })
    expect(await client.outcome(sessionId)).toBeUndefined()
    const second = await pause("child2", { calls: [{ id: "b", name: "Write", arguments: {} }] })
    const treeCheckpoint = treeCheckpointOf(sessionId, [first, second])
    expect(outcomeDocumentSchema.parse(await client.outcome(sessionId))).toMatchObject({
      outcome: "paused",
      task_id: sessionId,
      checkpoint_id: treeCheckpoint,
      pause_reason: {
        type: "tool_approval_required",
        pending_tool_calls: [
          { id: "a", task_id: "child1", checkpoint_id: first.checkpointId },
          { id: "b", task_id: "child2", checkpoint_id: second.checkpointId },
        ],
      },
      resume_hint: `adjutant run -c ${treeCheckpoint} --approve-all`,
    })
  })
})

describe("failed documents", () => {
  it.each([
    ["max_steps", "max_steps", "its limit of steps"],
    ["budget", "budget", "budget is used up"],
    ["timeout", "timeout", "its time limit"],
    ["cancelled", "cancelled", "cancelled"],
    ["refusal", "refusal", "another model"],
    ["error", "run_failed", "its transcript shows"],
  ] as const)("of %s have the code %s, the reason, and the partial output", async (stopReason, code, advice) => {
    const { client, finish, sessionId } = await runningSession()
    await finish(sessionId, stopReason, "so far")
    expect(outcomeDocumentSchema.parse(await client.outcome(sessionId))).toMatchObject({
      outcome: "failed",
      stop_reason: stopReason,
      error: { code, message: expect.stringContaining(advice) },
      partial_output: "so far",
    })
  })

  it("keep the run's own error, and find partial output in the transcript", async () => {
    const { client, store, finish, sessionId, runId } = await runningSession()
    await store.messages.put(sessionId, {
      seq: 1,
      runId,
      step: 1,
      fence: 1,
      message: {
        role: "assistant",
        provider: "openai",
        model: "m",
        parts: [{ type: "text", text: "halfway" }],
        usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
        stop: "end_turn",
      },
    })
    const error = { code: "provider_error", message: "the provider refused the key" }
    await store.runs.patch(runId, { error })
    await store.sessions.patch(sessionId, { headSeq: 1 })
    await finish(sessionId, "error", null)
    expect(await client.outcome(sessionId)).toMatchObject({ error, partial_output: "halfway" })
  })
})
