import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// Anyone with access to Temporal may send any signal. One such signal used to fail the run, or to block or end
// the whole session.

let harness: Harness
let release: () => void
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const startHeld = async (turns: readonly FakeReply[], continueAsNewAfterEvents = 0): Promise<string> => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  release = gate.resolve
  harness = await openHarness({
    config: { timing: { continueAsNewAfterEvents } },
    model: createFakeModel(async (_, turn) => {
      asked.resolve()
      if (turn === 1) await gate.promise
      return turns[turn - 1] ?? { text: `answer ${turn}` }
    }),
  })
  const id = await harness.start({ auto_approve: false })
  await asked.promise
  return id
}

const signal = (id: string, name: string, value: unknown) => harness.handle(id).signal(name, value)

const ended = async (id: string): Promise<string> => {
  await eventually(async () => (await harness.handle(id).describe()).status.name !== "RUNNING")
  return (await harness.handle(id).describe()).status.name
}

const texts = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "user" ? [message.text] : []))

describe("a signal", () => {
  it("with a message that is not in the store does not disturb the run", async () => {
    const id = await startHeld([])
    await signal(id, "inbox", { id: "msg_none", type: "steering", source: "steering" })
    release()
    expect(await ended(id)).toBe("COMPLETED")
    expect(await texts(id)).toEqual(["Do it.", expect.stringContaining("not in the store (msg_none)")])
  })

  it("with settings that are not in the store fails only the run that it starts", async () => {
    const id = await startHeld([])
    const new_run = { run_id: "run_forged", snapshot_hash: "ab".repeat(32) }
    await signal(id, "inbox", { id: "msg_none", type: "follow_up", source: "follow_up", new_run })
    await harness.store.inbox.put({ id: "msg_good", sessionId: id, source: "follow_up", text: "Continue." })
    await signal(id, "inbox", { id: "msg_good", type: "follow_up", source: "follow_up" })
    release()
    expect(await ended(id)).toBe("COMPLETED")
    expect((await harness.store.runs.list(id)).map(({ status, error }) => [status, error?.code])).toEqual([
      ["completed", undefined],
      ["failed", "storage_failed"],
      ["completed", undefined],
    ])
  })

  it("with the end of a sub-agent of another tree is ignored", async () => {
    const id = await startHeld([])
    const other = await harness.start({ prompt: "SECRET", auto_approve: true })
    const run = await harness.store.runs.latest(other)
    await signal(id, "child", { id: other, status: "ended", run_id: run?.runId })
    await signal(id, "child", { id: "nobody", status: "ended", run_id: "run_none" })
    release()
    await harness.client.wait(other)
    expect(await ended(id)).toBe("COMPLETED")
    const heard = await texts(id)
    expect(heard).toHaveLength(3)
    expect(heard.every((text) => text !== "" && !text.includes("SECRET"))).toBe(true)
  })

  it("with the answer to a closed pause does not answer another pause", async () => {
    harness = await openHarness({
      model: createFakeModel((_, turn) => (turn < 3 ? { text: "What?" } : { calls: [["finish", { result: "done" }]] })),
    })
    const id = await harness.start({ pause_on_approval: true })
    const paused = async (steps: number) => {
      await eventually(async () => {
        const { status, steps_taken } = await harness.client.info(id)
        return status === "paused" && steps_taken === steps
      })
      return (await harness.store.pauses.current(id))?.checkpointId
    }
    const first = await paused(1)
    await harness.client.send({ sessionId: id, text: "This.", type: "message", actor })
    const second = await paused(2)
    await harness.store.inbox.put({ id: "msg_late", sessionId: id, source: "input", text: "late" })
    await signal(id, "inbox", { id: "msg_late", type: "message", source: "input", checkpoint_id: first })
    await harness.store.inbox.put({ id: "msg_good", sessionId: id, source: "input", text: "That." })
    await signal(id, "inbox", { id: "msg_good", type: "message", source: "input", checkpoint_id: second })
    expect(await ended(id)).toBe("COMPLETED")
    expect(await texts(id)).toEqual(["Do it.", "This.", "That."])
  })
})

describe("steering that claims to be an answer", () => {
  it("leaves a pause for approval open, and reaches the model afterwards", async () => {
    const id = await startHeld([{ calls: [["Write", { file_path: "a.txt", content: "a" }]] }])
    release()
    await eventually(async () => (await harness.client.info(id)).status === "paused")
    const checkpointId = (await harness.store.pauses.current(id))?.checkpointId ?? ""
    await harness.store.inbox.put({ id: "msg_odd", sessionId: id, source: "input", text: "Odd." })
    await harness.handle(id).executeUpdate("steer", { args: [{ id: "msg_odd", type: "steering", source: "input" }] })
    const all = { action: "accept" } as const
    await harness.client.decide({ sessionId: id, checkpointId, all, unlisted: "pending", actor })
    expect(await ended(id)).toBe("COMPLETED")
    expect((await harness.store.pauses.latest(id))?.ordinal).toBe(0)
    expect(await texts(id)).toEqual(["Do it.", "Odd."])
  })
})

const long = "x".repeat(65_000)

describe("more than the engine accepts at once", () => {
  it("of steering is rejected, and the rest is accepted", async () => {
    const id = await startHeld([])
    for (let count = 0; count < 35; count += 1) await signal(id, "steer", `${count} ${long}`)
    release()
    expect(await ended(id)).toBe("COMPLETED")
    const heard = await texts(id)
    expect(heard.length).toBeGreaterThan(5)
    expect(heard[1]).toMatch(/^0 x/)
  })

  it("of decisions for unknown pauses does not keep a session from continuing as new", async () => {
    const id = await startHeld([{ calls: [["LS", {}]] }, { calls: [["LS", {}]] }], 20)
    for (let count = 0; count < 35; count += 1) {
      const decisions = { call: { action: "reject", content: long } }
      await signal(id, "decide", { decision_id: `d${count}`, checkpoint_id: `cp_${count}`, decisions })
    }
    release()
    expect(await ended(id)).toBe("COMPLETED")
  })

  it("of answers to one pause is rejected, and the pause stays open", async () => {
    const write = ["Write", { file_path: "a.txt", content: "a" }] as const
    const id = await startHeld([{ calls: Array.from({ length: 40 }, () => write) }])
    release()
    await eventually(async () => (await harness.client.info(id)).status === "paused")
    const checkpointId = (await harness.store.pauses.current(id))?.checkpointId ?? ""
    const decide = (content: string) =>
      harness.client.decide({
        sessionId: id,
        checkpointId,
        all: { action: "custom_result", content },
        unlisted: "pending",
        actor,
      })
    await expect(decide(long)).rejects.toMatchObject({ code: "payload_too_large" })
    await signal(id, "reject", { reason: long })
    expect(await harness.client.info(id)).toMatchObject({ status: "paused", checkpoint_id: checkpointId })
    await decide("short")
    expect(await ended(id)).toBe("COMPLETED")
  })
})
