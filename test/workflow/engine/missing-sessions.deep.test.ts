import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import type { ReconcileInput, ReconcilePass } from "../../../domain/engine/reconcile-pass.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "ana", via: "cli" }

afterEach(() => harness.close())

const asks = createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "painted" }]] })
const quick = { startGraceMs: 0, missingConfirmMs: 0 }
const open = async (timing: object = quick): Promise<void> => {
  harness = await openHarness({ model: asks, config: { timing } })
}

const pass = (input: ReconcileInput = {}): Promise<ReconcilePass> =>
  harness.temporal.workflow.execute("reconcile", {
    taskQueue: harness.taskQueue,
    workflowId: `reconcile-test/${randomUUID()}`,
    args: [input],
  })

const statusOf = async (id: string) => (await harness.store.sessions.get(id))?.status

const startPaused = async (count: number): Promise<readonly string[]> => {
  const ids = await Promise.all(
    Array.from({ length: count }, () => harness.start({ auto_approve: false, pause_on_approval: true })),
  )
  await eventually(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "paused"))
  return ids
}

/** Removes a session's executions from the engine, as after a restore from a backup. */
const forget = async (id: string): Promise<void> => {
  const workflowExecution = { workflowId: `subagent/${id}` }
  await harness.temporal.workflowService.deleteWorkflowExecution({ namespace: "default", workflowExecution })
  await eventually(async () => {
    try {
      await harness.handle(id).describe()
      return false
    } catch {
      return true
    }
  })
}

/** Histories that are gone cannot be replayed when the harness closes. */
const dropRows = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids) await harness.store.sessions.remove(id)
}

describe("sessions that the engine does not know", () => {
  it("end when two passes have missed them, and not at the first", async () => {
    await open()
    const [id = ""] = await startPaused(1)
    await forget(id)
    expect(await pass()).toMatchObject({ checked: 1, mended: 0, missing: 1, stopped: null })
    expect(await statusOf(id)).toBe("paused")
    expect(await pass()).toMatchObject({ mended: 1 })
    expect(await harness.client.info(id)).toMatchObject({ status: "failed", stop_reason: "terminated" })
    expect(await pass()).toMatchObject({ checked: 0, mended: 0, missing: 0 })
    await dropRows([id])
  })

  it("do not end before the configured time has passed", async () => {
    await open({ startGraceMs: 0, missingConfirmMs: 3_600_000 })
    const [id = ""] = await startPaused(1)
    await forget(id)
    for (const _ of [1, 2, 3]) expect(await pass()).toMatchObject({ mended: 0, missing: 1 })
    expect(await statusOf(id)).toBe("paused")
    await dropRows([id])
  })

  it("only count in a dry run, which writes nothing", async () => {
    await open()
    const [id = ""] = await startPaused(1)
    await forget(id)
    expect(await pass({ dryRun: true })).toMatchObject({ checked: 1, mended: 0, missing: 1 })
    expect(await harness.store.missing.get(id)).toBeUndefined()
    await pass()
    expect(await pass({ dryRun: true })).toMatchObject({ mended: 1, missing: 1 })
    expect(await statusOf(id)).toBe("paused")
    await dropRows([id])
  })
})

describe("a pass that misses more than 5 sessions and more than 10 % of them", () => {
  const missSix = async (): Promise<{ readonly missing: readonly string[]; readonly terminated: string }> => {
    await open()
    const [terminated = "", ...missing] = await startPaused(7)
    for (const id of missing) await forget(id)
    await harness.handle(terminated).terminate()
    return { missing, terminated }
  }

  it("ends none until a person accepts that they are lost", async () => {
    const { missing, terminated } = await missSix()
    for (const _ of [1, 2, 3])
      expect(await pass()).toMatchObject({ checked: 7, mended: 0, missing: 6, stopped: "too_many_missing" })
    for (const id of [...missing, terminated]) expect(await statusOf(id)).toBe("paused")
    expect(await harness.client.engine.health()).toEqual({ isSame: true, missing: 6, isStopped: true })
    const report = await harness.client.reconcile({ acceptMissing: true }, actor)
    expect(report).toMatchObject({ mended: 7, missing: 0, stopped: null, missing_sessions: [] })
    expect(report.accepted.toSorted()).toEqual(missing.toSorted())
    for (const id of [...missing, terminated]) expect(await statusOf(id)).toBe("failed")
    const audited = (await harness.client.audit({})).items.filter(({ action }) => action === "accept-missing")
    expect(audited).toHaveLength(6)
    expect(audited[0]).toMatchObject(actor)
    await dropRows(missing)
  })

  it("continues if accepted sessions are found again", async () => {
    const { missing, terminated } = await missSix()
    await pass()
    const { claimId } = (await harness.store.engine.read()) ?? { claimId: "" }
    await harness.store.missing.note(terminated, { runId: "another run", claimId })
    await harness.store.missing.accept(claimId, actor)
    expect(await pass()).toMatchObject({ mended: 7, stopped: null })
    await dropRows(missing)
  })
})
