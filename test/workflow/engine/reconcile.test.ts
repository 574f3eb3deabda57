import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import type { ReconcilePass } from "../../../domain/engine/reconcile-pass.ts"
import { archiveEndedSessions } from "../../../activities/reconcile/archive-ended-sessions.ts"
import { reconcileScheduleId } from "../../../engine/reconcile-schedule.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, createFakeTurns, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const pass = (): Promise<ReconcilePass> =>
  harness.temporal.workflow.execute("reconcile", {
    taskQueue: harness.taskQueue,
    workflowId: `reconcile-test/${randomUUID()}`,
  })

const row = async (id: string) => {
  const found = await harness.store.sessions.get(id)
  if (found === undefined) throw new Error(`no session ${id}`)
  return found
}

const asks = createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "painted" }]] })

const startPaused = async (): Promise<string> => {
  const id = await harness.start({ auto_approve: false, pause_on_approval: true })
  await eventually(async () => (await row(id)).status === "paused")
  return id
}

const snapshotOf = async (hash: string) => {
  const snapshot = await harness.store.snapshots.get(hash)
  if (snapshot === undefined) throw new Error("no snapshot")
  return snapshot
}

const inMinutes = (minutes: number): Promise<number> =>
  archiveEndedSessions(harness.store, snapshotOf, Date.now() + minutes * 60_000)

const listed = async () => (await harness.client.list({})).items.map(({ id }) => id)

/** The first prompt of a session names it. */
const family = (reply: (who: string, turn: number) => FakeReply | Promise<FakeReply>) =>
  createFakeModel((request, turn) => {
    const [first] = request.messages
    return reply(first?.role === "user" ? first.text : "", turn)
  })

describe("the reconciler", () => {
  it("records the end of a terminated session and closes its pause", async () => {
    harness = await openHarness({ model: asks })
    const id = await startPaused()
    await harness.handle(id).terminate()
    expect(await pass()).toMatchObject({ checked: 1, mended: 1 })
    expect(await row(id)).toMatchObject({ status: "failed", stopReason: "terminated" })
    expect(await harness.store.pauses.current(id)).toBeUndefined()
    expect(await pass()).toMatchObject({ checked: 0, mended: 0 })
  })

  it("runs by its schedule, as often as configured", async () => {
    harness = await openHarness({ model: asks, reconcileEverySeconds: 1 })
    const id = await startPaused()
    await harness.handle(id).terminate()
    await eventually(async () => (await row(id)).stopReason === "terminated", { timeoutMs: 80_000 })
    await harness.stopWorker()
    await harness.startWorker()
    const { spec } = await harness.temporal.schedule.getHandle(reconcileScheduleId(harness.taskQueue)).describe()
    expect(spec.intervals?.[0]).toMatchObject({ every: 1_000 })
  })

  it("archives sessions that ended long ago, and neither paused nor recent ones; resuming restores them", async () => {
    harness = await openHarness({
      config: { subagents: { archiveAfterMinutes: 10, archiveRoots: true } },
      model: family((who) => (who === "ASK" ? { text: "Which?" } : { text: "done" })),
    })
    const done = await harness.start({ prompt: "DONE" })
    await harness.client.wait(done)
    const paused = await harness.start({ prompt: "ASK", auto_approve: false, pause_on_approval: true })
    await eventually(async () => (await row(paused)).status === "paused")
    expect(await inMinutes(9)).toBe(0)
    expect(await inMinutes(11)).toBe(1)
    expect(await listed()).toEqual([paused])
    expect(await harness.client.info(done)).toMatchObject({ status: "completed", final_message: "done" })
    expect((await harness.client.messages(done)).length).toBe(2)
    await harness.client.send({ sessionId: done, text: "again", type: "message", actor })
    expect((await listed()).toSorted()).toEqual([done, paused].toSorted())
  })

  it("archives nothing if 0 minutes are configured", async () => {
    harness = await openHarness({
      config: { subagents: { archiveAfterMinutes: 0 } },
      model: createFakeTurns({ text: "done" }),
    })
    const id = await harness.start()
    await harness.client.wait(id)
    expect(await inMinutes(1_000_000)).toBe(0)
    expect(await listed()).toEqual([id])
  })

  it("archives a child with cleanup: delete as soon as it was announced, others by time, and no root; numbers stay", async () => {
    harness = await openHarness({
      model: family((who, turn) => {
        if (who !== "PARENT") return { text: "child's result" }
        return turn === 1
          ? {
              calls: [
                ["sessions_spawn", { task: "gone", cleanup: "delete" }],
                ["sessions_spawn", { task: "kept" }],
              ],
            }
          : { text: turn === 2 ? "waiting" : "heard" }
      }),
    })
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    const children = (await harness.client.list({ parent: id })).items
    expect(children).toHaveLength(1)
    expect(children[0]).toMatchObject({ number: 2 })
    const archived = async () => (await harness.client.list({ archived: true })).items.map(({ number }) => number)
    expect(await archived()).toEqual([1])
    expect(await inMinutes(61)).toBe(1)
    expect(await archived()).toEqual([2, 1])
    expect(await listed()).toEqual([id])
  })

  it("cancels a child whose parent was reset to before it was spawned", async () => {
    let wantsChild = true
    let hasSpawned = false
    let thought = false
    let goOn: () => void = () => undefined
    const thinking = new Promise<void>((resolve) => (goOn = resolve))
    const started: string[] = []
    harness = await openHarness({
      model: family(async (who) => {
        if (who === "PARENT" && wantsChild && !hasSpawned) {
          hasSpawned = true
          return { calls: [["sessions_spawn", { task: "endless" }]] }
        }
        if (who === "PARENT") {
          // The second step, if it begins before the reset, must not end the run.
          thought = !wantsChild
          await thinking
          return { text: "I do it myself." }
        }
        started.push(who)
        return { calls: [["Bash", { command: "sleep 600" }]] }
      }),
    })
    const id = await harness.start({ prompt: "PARENT", max_steps: 2, sandbox: "off" })
    await eventually(() => started.length > 0)
    const [child] = (await harness.store.sessions.list({ parentId: id })).items
    if (child === undefined) throw new Error("no child")
    expect(await pass()).toMatchObject({ orphans: 0 })
    wantsChild = false
    const history = await harness.handle(id).fetchHistory()
    const first = history.events?.find((event) => event.workflowTaskCompletedEventAttributes)
    await harness.temporal.workflowService.resetWorkflowExecution({
      namespace: "default",
      workflowExecution: { workflowId: `subagent/${id}` },
      reason: "test",
      workflowTaskFinishEventId: first?.eventId ?? null,
      requestId: randomUUID(),
    })
    try {
      await eventually(() => thought)
      // Some versions of the engine cancel it themselves.
      await pass()
      await eventually(async () => (await row(child.id)).status === "cancelled")
    } finally {
      goOn()
    }
    const outcome = await harness.client.wait(id)
    expect(outcome).toMatchObject({ final_message: "I do it myself." })
  })

  it("finishes a deletion that was cut short", async () => {
    harness = await openHarness({ model: asks })
    const id = await startPaused()
    await harness.store.sessions.markDeleted(id)
    expect(await pass()).toMatchObject({ erased: 0 })
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    expect(await pass()).toMatchObject({ erased: 1 })
    expect(await harness.store.messages.read(id, { headSeq: 100 })).toEqual([])
    expect(await pass()).toMatchObject({ erased: 0 })
  })
})
