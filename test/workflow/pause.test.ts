import { access, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { createFakeModel, createFakeTurns } from "../helpers/models/fake-model.ts"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, type HarnessOptions, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const

const open = async (options: HarnessOptions): Promise<Harness> => {
  harness = await openHarness(options)
  return harness
}

afterEach(() => harness.close())

const twoWrites = createFakeTurns(
  {
    text: "I want to write two files.",
    calls: [
      ["Write", { file_path: "a.txt", content: "a" }],
      ["LS", {}],
      ["Write", { file_path: "b.txt", content: "b" }],
    ],
  },
  { calls: [["finish", { result: "Both written." }]] },
)

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  return document
}

const completed = async (id: string) => {
  await eventually(async () => (await harness.client.info(id)).status === "completed")
  return harness.client.wait(id)
}

const exists = (name: string): Promise<boolean> =>
  access(join(harness.cwd, name)).then(
    () => true,
    () => false,
  )

const outcomes = async (id: string): Promise<readonly string[]> =>
  (await harness.client.messages(id)).flatMap(({ message }) =>
    message.role === "tool" ? [`${message.call_id} ${message.outcome}`] : [],
  )

describe("a pause for approval", () => {
  it("has a time limit, which a decision on one of its calls does not start again", async () => {
    const config = { timing: { pauseTimeoutSeconds: 600 } }
    const { client, start, handle } = await open({ model: twoWrites, config })
    const id = await start(careful)
    const { checkpoint_id: checkpointId } = await paused(id)
    const decisions = { call_1_3: { action: "accept" } } as const
    await client.decide({ sessionId: id, checkpointId, decisions, unlisted: "pending", actor })
    const timersMs = async () => {
      const { events } = await handle(id).fetchHistory()
      return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
        const seconds = Number(timer?.startToFireTimeout?.seconds ?? 0)
        return seconds < 500 ? [] : [1_000 * seconds + Number(timer?.startToFireTimeout?.nanos ?? 0) / 1e6]
      })
    }
    await eventually(async () => (await timersMs()).length === 2)
    const [first = 0, second = 0] = await timersMs()
    expect(second).toBeLessThan(first)
  })

  it("runs nothing before every call has its decision, and then in proposal order", async () => {
    const { client, start } = await open({ model: twoWrites })
    const id = await start(careful)
    const document = await paused(id)
    expect(document.pause_reason.pending_tool_calls?.map((call) => call.id)).toEqual(["call_1_1", "call_1_3"])
    expect(document.agent_message).toBe("I want to write two files.")
    const decide = (callId: string) =>
      client.decide({
        sessionId: id,
        checkpointId: document.checkpoint_id,
        decisions: { [callId]: { action: "accept" } },
        unlisted: "pending",
        actor,
      })
    expect(await decide("call_1_3")).toMatchObject({ state: "applied" })
    await eventually(async () => (await client.approvals()).items[0]?.pending.length === 1)
    expect(await exists("b.txt")).toBe(false)
    expect(await decide("call_1_3")).toMatchObject({ state: "applied" })
    await decide("call_1_1")
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "Both written.",
      steps_taken: 2,
    })
    expect(await outcomes(id)).toEqual(["call_1_1 ok", "call_1_2 ok", "call_1_3 ok", "call_2_1 ok"])
  })

  it("rejects one call with a reason and runs the other calls", async () => {
    const { client, start } = await open({ model: twoWrites })
    const id = await start(careful)
    const document = await paused(id)
    await client.decide({
      sessionId: id,
      checkpointId: document.checkpoint_id,
      decisions: { call_1_1: { action: "reject", content: "not that one" }, call_1_3: { action: "accept" } },
      unlisted: "reject",
      actor,
    })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await exists("a.txt")).toBe(false)
    expect(await exists("b.txt")).toBe(true)
    const rejected = (await client.messages(id)).find(({ message }) => message.role === "tool")?.message
    expect(rejected).toMatchObject({ outcome: "rejected", content: "TOOL_CALL_REJECTED: not that one" })
  })

  it("rejects a stale checkpoint, an unknown call and a contradicting decision, and changes nothing", async () => {
    const { client, start } = await open({ model: twoWrites })
    const id = await start(careful)
    const document = await paused(id)
    const decide = (checkpointId: string, decisions: Record<string, { action: "accept" } | { action: "reject" }>) =>
      client.decide({ sessionId: id, checkpointId, decisions, unlisted: "pending", actor })
    await expect(decide("cp_other", { call_1_1: { action: "accept" } })).rejects.toMatchObject({
      code: expect.stringMatching(/^checkpoint_(stale|not_found)$/) as string,
    })
    await expect(decide(document.checkpoint_id, { nope: { action: "accept" } })).rejects.toMatchObject({
      code: "call_not_found",
    })
    await decide(document.checkpoint_id, { call_1_1: { action: "accept" } })
    await expect(decide(document.checkpoint_id, { call_1_1: { action: "reject" } })).rejects.toMatchObject({
      code: "already_decided",
    })
    expect((await client.info(id)).status).toBe("paused")
  })

  it("applies one of two contradicting decisions", async () => {
    const { client, start } = await open({ model: twoWrites })
    const id = await start(careful)
    const { checkpoint_id: checkpointId } = await paused(id)
    const all = (action: "accept" | "reject") =>
      client.decide({
        sessionId: id,
        checkpointId,
        decisions: { call_1_1: { action }, call_1_3: { action } },
        unlisted: "pending",
        actor,
      })
    const results = await Promise.allSettled([all("accept"), all("reject")])
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await exists("a.txt")).toBe(await exists("b.txt"))
  })

  it("applies a decision that was sent while no worker ran", async () => {
    const { start, startWorker, stopWorker, handle } = await open({ model: twoWrites })
    const id = await start(careful)
    const document = await paused(id)
    await stopWorker()
    await handle(id).signal("decide", {
      decision_id: "d-1",
      checkpoint_id: document.checkpoint_id,
      decisions: {},
      all: { action: "accept" },
    })
    await startWorker()
    expect(await completed(id)).toMatchObject({ outcome: "completed" })
    expect(await outcomes(id)).toEqual(["call_1_1 ok", "call_1_2 ok", "call_1_3 ok", "call_2_1 ok"])
  })

  it("is found, read and decided from the Temporal UI alone, and the audit names the user", async () => {
    const { client, start, handle, temporal } = await open({ model: twoWrites })
    const id = await start(careful)
    await paused(id)
    const found = async (): Promise<readonly string[]> => {
      const ids: string[] = []
      for await (const { workflowId } of temporal.workflow.list({ query: `AgentStatus = "paused"` }))
        ids.push(workflowId)
      return ids
    }
    await eventually(async () => (await found()).includes(`subagent/${id}`))
    const metadata = await handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")
    expect(metadata.currentDetails).toContain("a.txt")
    expect(metadata.currentDetails).toContain('["call_1_1","call_1_3"]')
    await handle(id).signal("approve", { nonsense: true })
    await handle(id).signal("approve", ["call_9"])
    await handle(id).signal("aprove", "all")
    const warned = async (): Promise<string> =>
      (await handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")).currentDetails ?? ""
    await eventually(async () => (await warned()).includes("signal `aprove`"))
    expect(await warned()).toContain("no call call_9 waits here")
    expect(await warned()).toContain("a session has no signal of this name (did you mean approve?)")
    expect(await exists("b.txt")).toBe(false)
    await handle(id).signal("reject", { ids: ["call_1_1"], reason: "no" })
    await handle(id).signal("approve", "all")
    expect(await completed(id)).toMatchObject({ outcome: "completed" })
    expect(await exists("a.txt")).toBe(false)
    expect(await exists("b.txt")).toBe(true)
    const { items: audit } = await client.audit({ sessionId: id })
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(["approve", "reject"]))
  })

  it("is skipped by steering, which the model sees as its next message", async () => {
    const seen: string[] = []
    const { client, start } = await open({
      model: createFakeModel((request, turn) => {
        const last = request.messages.at(-1)
        if (last?.role === "user") seen.push(last.text)
        return turn === 1
          ? { calls: [["Write", { file_path: "a.txt", content: "a" }]] }
          : { calls: [["finish", { result: "ok" }]] }
      }),
    })
    const id = await start(careful)
    await paused(id)
    await client.send({ sessionId: id, text: "Do not write anything.", type: "steering", actor })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(seen).toEqual(["Do it.", "Do not write anything."])
    expect(await outcomes(id)).toEqual(["call_1_1 skipped", "call_2_1 ok"])
  })

  it("is cancelled, and stays cancelled", async () => {
    const { client, start } = await open({ model: twoWrites })
    const id = await start(careful)
    await paused(id)
    expect(await client.cancel(id, actor)).toEqual({ status: "cancelled" })
    expect((await client.approvals()).items).toEqual([])
    await expect(client.send({ sessionId: id, text: "x", type: "steering", actor })).rejects.toMatchObject({
      code: "session_not_running",
    })
  })
})

describe("a pause for input", () => {
  const asking = createFakeModel((request, turn) => {
    const last = request.messages.at(-1)
    return turn === 1
      ? { text: "Which colour?" }
      : { calls: [["finish", { result: last?.role === "user" ? `painted ${last.text}` : "?" }]] }
  })

  it("continues with a person's answer, in the same run", async () => {
    const { client, start } = await open({ model: asking })
    const id = await start(careful)
    const document = await paused(id)
    expect(document.pause_reason).toEqual({ type: "input_required" })
    expect(document.resume_hint).toBe(`adjutant run -c ${document.checkpoint_id} "<your input>"`)
    await client.send({ sessionId: id, text: "green", type: "message", checkpointId: document.checkpoint_id, actor })
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "painted green",
      steps_taken: 2,
    })
  })

  it("accepts the answer from the Temporal UI", async () => {
    const { client, start, handle } = await open({ model: asking })
    const id = await start(careful)
    await paused(id)
    await handle(id).signal("input", "blue")
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await client.wait(id)).toMatchObject({ final_message: "painted blue" })
  })

  const answers = async (id: string): Promise<readonly string[]> =>
    (await harness.client.messages(id)).flatMap(({ message }) =>
      message.role === "user" && message.source === "input" ? [message.text] : [],
    )

  it("takes one of two answers that arrive at once, and refuses the other", async () => {
    const { client, start } = await open({ model: asking })
    const id = await start(careful)
    const { checkpoint_id: checkpointId } = await paused(id)
    const send = (text: string) => client.send({ sessionId: id, text, type: "message", checkpointId, actor })
    const results = await Promise.allSettled(["green", "red", "blue"].map(send))
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
    expect(refused).toMatchObject([{ code: "checkpoint_stale" }, { code: "checkpoint_stale" }])
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await answers(id)).toHaveLength(1)
  })

  it("takes the first of the answers that were sent on different ways while no worker ran", async () => {
    const { client, start, startWorker, stopWorker, handle } = await open({ model: asking })
    const id = await start(careful)
    const { checkpoint_id: checkpointId } = await paused(id)
    await stopWorker()
    await handle(id).signal("input", "green")
    const later = { sessionId: id, type: "message", delivery: "signal", actor } as const
    expect(await client.send({ ...later, text: "red", checkpointId })).toMatchObject({ state: "accepted" })
    await handle(id).signal("input", "blue")
    await startWorker()
    expect(await completed(id)).toMatchObject({ final_message: "painted green" })
    expect(await answers(id)).toEqual(["green"])
    const { currentDetails } = await handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")
    expect(currentDetails).toContain("signal `inbox`: this checkpoint is no longer open")
    expect(currentDetails).toContain("signal `input`: ")
    // The one that was not taken starts no other run, either.
    expect((await client.info(id)).runs).toHaveLength(1)
  })

  it("starts no other run with an answer that comes by signal after another was taken", async () => {
    const gate = Promise.withResolvers<void>()
    const { client, start, handle } = await open({
      model: createFakeModel(async (_, turn) => {
        if (turn === 1) return { text: "Which colour?" }
        await gate.promise
        return { calls: [["finish", { result: "painted" }]] }
      }),
    })
    const id = await start(careful)
    const { checkpoint_id: checkpointId } = await paused(id)
    await client.send({ sessionId: id, text: "green", type: "message", checkpointId, actor })
    const late = { id: "msg_late", type: "message", source: "input", checkpoint_id: checkpointId }
    await handle(id).signal("inbox", late)
    const details = async () =>
      (await handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")).currentDetails ?? ""
    await eventually(async () => (await details()).includes("this checkpoint is no longer open"))
    gate.resolve()
    expect(await completed(id)).toMatchObject({ outcome: "completed", final_message: "painted" })
    await eventually(async () => (await handle(id).describe()).status.name === "COMPLETED")
    expect((await client.info(id)).runs).toHaveLength(1)
    expect(await answers(id)).toEqual(["green"])
  })

  it("does not count against the run's time limit", async () => {
    const { client, start } = await open({ model: asking })
    const timeoutSeconds = 5
    const id = await start({ ...careful, timeout_seconds: timeoutSeconds })
    const document = await paused(id)
    const isOver = async () => Date.now() - Date.parse((await client.info(id)).updated_at) > timeoutSeconds * 1_100
    await eventually(isOver)
    await client.send({ sessionId: id, text: "red", type: "message", checkpointId: document.checkpoint_id, actor })
    await eventually(async () => (await client.info(id)).status === "completed")
  })
})

describe("a follow-up", () => {
  it("that arrives while the session runs becomes the next run of the same execution", async () => {
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { client, start, handle } = await open({
      model: createFakeModel(async (request, turn) => {
        if (turn === 1) await gate
        const last = request.messages.at(-1)
        return { text: last?.role === "user" ? `received ${last.text}` : "?" }
      }),
    })
    const id = await start()
    await eventually(async () => (await client.info(id)).status === "running")
    const sent = await client.send({ sessionId: id, text: "more", type: "follow_up", actor })
    release()
    await eventually(async () => {
      const { status, run_id } = await client.info(id)
      return status === "completed" && run_id === sent.runId
    })
    expect(await client.wait(id)).toMatchObject({ final_message: "received more" })
    await eventually(async () => (await handle(id).describe()).status.name === "COMPLETED")
  })
})

describe("a long session", () => {
  it("continues as new and keeps its transcript, its limits and its pause", async () => {
    const { client, start, cwd } = await open({
      config: { timing: { continueAsNewAfterEvents: 60 } },
      model: createFakeModel((_, turn) =>
        turn === 30
          ? { calls: [["Write", { file_path: "end.txt", content: "end" }]] }
          : turn > 30
            ? { calls: [["finish", { result: "long way" }]] }
            : { calls: [["LS", {}]] },
      ),
    })
    const id = await start({ ...careful, max_steps: 40 })
    const document = await paused(id)
    expect(document.steps_taken).toBe(30)
    await client.decide({
      sessionId: id,
      checkpointId: document.checkpoint_id,
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await client.wait(id)).toMatchObject({ final_message: "long way", steps_taken: 31 })
    expect(await readFile(join(cwd, "end.txt"), "utf8")).toBe("end")
    expect((await client.messages(id)).length).toBe(1 + 31 * 2)
  })
})
