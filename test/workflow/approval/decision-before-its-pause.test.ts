import { afterEach, describe, expect, it } from "vitest"
import type { NewPause } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// A worker that dies right after it recorded a pause leaves a row that people see and act on, while the
// workflow has yet to open that pause.

let harness: Harness
let release: () => void
const actor = { by: "test", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const
const write = { file_path: "a.txt", content: "a" }

afterEach(() => harness.close())

/** A session whose model has not answered yet, with its pause already recorded. */
const startWithRow = async (
  turns: readonly FakeReply[],
  row: Pick<NewPause, "type" | "calls" | "message">,
): Promise<string> => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  release = gate.resolve
  harness = await openHarness({
    config: { timing: { updateDeadlineMs: 300 } },
    model: createFakeModel(async (_, turn) => {
      asked.resolve()
      if (turn === 1) await gate.promise
      return turns[turn - 1] ?? { calls: [["finish", { result: "no more turns" }]] }
    }),
  })
  const id = await harness.start(careful)
  await asked.promise
  const runId = (await harness.client.info(id)).run_id ?? ""
  await harness.store.pauses.open({ ...row, checkpointId: "cp_seen", sessionId: id, runId, ordinal: 0 })
  return id
}

const completed = async (id: string) => {
  await eventually(async () => (await harness.handle(id).describe()).status.name === "COMPLETED")
  return harness.client.wait(id)
}

const results = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message.outcome] : []))

const texts = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "user" ? [message.text] : []))

const finish: FakeReply = { calls: [["finish", { result: "done" }]] }

describe("a message for a pause that the workflow has yet to open again", () => {
  it("is applied if it is a decision", async () => {
    const calls = [{ id: "call_1_1", name: "Write", arguments: write }]
    const turns: FakeReply[] = [{ calls: [["Write", write]] }, finish]
    const id = await startWithRow(turns, { type: "tool_approval_required", calls, message: "" })
    const sent = await harness.client.decide({
      sessionId: id,
      checkpointId: "cp_seen",
      decisions: { call_1_1: { action: "accept" } },
      unlisted: "pending",
      actor,
    })
    expect(sent.state).toBe("accepted")
    release()
    expect(await completed(id)).toMatchObject({ outcome: "completed", final_message: "done" })
    expect(await results(id)).toEqual(["ok", "ok"])
  })

  it("is applied in parts if it is a decision on some of the calls", async () => {
    const calls = [
      { id: "call_1_1", name: "Write", arguments: write },
      { id: "call_1_2", name: "Write", arguments: write },
    ]
    const turns: FakeReply[] = [
      {
        calls: [
          ["Write", write],
          ["Write", write],
        ],
      },
      finish,
    ]
    const id = await startWithRow(turns, { type: "tool_approval_required", calls, message: "" })
    const decide = (callId: string) =>
      harness.client.decide({
        sessionId: id,
        checkpointId: "cp_seen",
        decisions: { [callId]: { action: "accept" } },
        unlisted: "pending",
        actor,
      })
    await decide("call_1_2")
    release()
    await eventually(async () => (await harness.client.approvals()).items[0]?.pending.length === 1)
    expect(await decide("call_1_1")).toMatchObject({ state: "applied" })
    expect(await completed(id)).toMatchObject({ outcome: "completed" })
    expect(await results(id)).toEqual(["ok", "ok", "ok"])
  })

  it("answers the question if it is an answer, and not the next question", async () => {
    const turns: FakeReply[] = [{ text: "Which colour?" }, { text: "Which size?" }, finish]
    const id = await startWithRow(turns, { type: "input_required", calls: [], message: "Which colour?" })
    expect(await harness.client.send({ sessionId: id, text: "green", type: "message", actor })).toMatchObject({
      state: "accepted",
    })
    release()
    await eventually(async () => (await texts(id)).includes("green"))
    const document = await harness.client.wait(id)
    if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
    expect(document.agent_message).toBe("Which size?")
    await harness.client.send({ sessionId: id, text: "small", type: "message", actor })
    await completed(id)
    expect(await texts(id)).toEqual(["Do it.", "green", "small"])
  })

  it("is not applied to other calls than those that were shown", async () => {
    const calls = [{ id: "call_1_1", name: "Write", arguments: { file_path: "harmless.txt", content: "a" } }]
    const turns: FakeReply[] = [{ calls: [["Write", write]] }, finish]
    const id = await startWithRow(turns, { type: "tool_approval_required", calls, message: "" })
    await harness.client.decide({
      sessionId: id,
      checkpointId: "cp_seen",
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    release()
    await eventually(async () => (await harness.client.info(id)).status === "paused")
    const [approval, ...others] = (await harness.client.approvals()).items
    expect(others).toEqual([])
    expect(approval?.checkpoint_id).not.toBe("cp_seen")
    expect(approval?.pending).toMatchObject([{ id: "call_1_1", arguments: write }])
    await harness.client.cancel(id, actor)
  })

  it("leaves no pause open if it is steering that skips the pause", async () => {
    const calls = [{ id: "call_1_1", name: "Write", arguments: write }]
    const turns: FakeReply[] = [{ calls: [["Write", write]] }, { text: "Then what?" }, finish]
    const id = await startWithRow(turns, { type: "tool_approval_required", calls, message: "" })
    await harness.client.send({ sessionId: id, text: "Do not write.", type: "steering", actor })
    release()
    await eventually(async () => (await harness.client.info(id)).status === "paused")
    expect((await harness.client.approvals()).items).toMatchObject([{ type: "input_required", message: "Then what?" }])
    await harness.client.send({ sessionId: id, text: "nothing", type: "message", actor })
    expect(await completed(id)).toMatchObject({ outcome: "completed" })
    expect((await harness.client.approvals()).items).toEqual([])
  })
})
