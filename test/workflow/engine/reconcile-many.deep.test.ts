import { randomUUID } from "node:crypto"
import { afterEach, expect, it, vi } from "vitest"
import type { ReconcilePass } from "../../../domain/engine/reconcile-pass.ts"
import { watchTerminations } from "../../../worker/polling/watch-terminations.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

const asks = createFakeTurns({ text: "Which colour?" })
const pass = (): Promise<ReconcilePass> =>
  harness.temporal.workflow.execute("reconcile", {
    taskQueue: harness.taskQueue,
    workflowId: `reconcile-test/${randomUUID()}`,
  })
const statusOf = async (id: string) => (await harness.store.sessions.get(id))?.status
const startPaused = () => harness.start({ auto_approve: false, pause_on_approval: true })

it("finds terminated sessions among more than it describes one by one, from the engine's list", async () => {
  harness = await openHarness({ model: asks })
  const ids = await Promise.all(Array.from({ length: 30 }, startPaused))
  await eventually(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "paused"), {
    timeoutMs: 60_000,
  })
  const [first = "", second = ""] = ids
  expect(await pass()).toMatchObject({ checked: 30, mended: 0, missing: 0, failed: [] })
  for (const id of [first, second]) await harness.handle(id).terminate()
  // The engine's lists follow a moment later.
  await eventually(async () => {
    await pass()
    return (await statusOf(first)) === "failed" && (await statusOf(second)) === "failed"
  })
  expect((await Promise.all(ids.map(statusOf))).filter((status) => status === "paused")).toHaveLength(28)
})

it("runs when a worker starts, however rare its schedule is", async () => {
  harness = await openHarness({
    model: asks,
    config: { timing: { reconcileSeconds: 86_400 } },
    reconcilesAtStart: true,
  })
  const before = await startPaused()
  await eventually(async () => (await statusOf(before)) === "paused")
  await harness.stopWorker()
  await harness.handle(before).terminate()
  await harness.startWorker()
  await eventually(async () => (await statusOf(before)) === "failed")
})

it("runs soon after a termination, however rare its schedule is", async () => {
  harness = await openHarness({ model: asks, config: { timing: { reconcileSeconds: 86_400 } } })
  const { temporal, store, taskQueue } = harness
  const logger = { warn: vi.fn<() => void>() }
  const stop = watchTerminations({ temporal, store, taskQueue, missingConfirmMs: 60_000, everyMs: 50, logger })
  const id = await startPaused()
  await eventually(async () => (await statusOf(id)) === "paused")
  await harness.handle(id).terminate()
  await eventually(async () => (await statusOf(id)) === "failed")
  stop()
  expect(logger.warn).not.toHaveBeenCalled()
})
