import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { runScheduleId } from "../../domain/schedules/scheduled-run.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { startNtfy } from "../helpers/http/message-services.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"

let harness: Harness
const actor = { by: "ana", via: "cli" }
const never = "0 0 29 2 *"
const quick = { deliveryInitialMs: 10, deliveryMaxMs: 40 }

/** Schedules are the engine's, which all tests of the process share. */
const deleteSchedules = async (): Promise<void> => {
  for (const { name } of await harness.client.schedules.list())
    await harness.temporal.schedule
      .getHandle(runScheduleId(taskQueueOf(harness.store.storeId), name))
      .delete()
      .catch(() => undefined)
}

afterEach(async () => {
  await deleteSchedules()
  await harness.close()
})

const open = async (config: ConfigInput, model = createFakeTurns({ text: "Nothing found." }), env = {}) => {
  harness = await openHarness({ model, env, config: { timing: quick, ...config } })
  return await harness.client.schedules.ensure()
}

const trigger = () => harness.client.schedules.change("nightly", { change: "trigger", actor })
const tasks = async () => (await harness.client.list({})).items
const completed = () => eventually(async () => (await tasks())[0]?.status === "completed")

describe("a schedule", () => {
  it("starts a task by itself, which has its name and its time, and which the audit attributes to it", async () => {
    await open({
      schedules: { nightly: { cron: never, timezone: "Europe/Berlin", prompt: "Review it.", budgetUsd: 2 } },
    })
    const [made] = await harness.client.schedules.list()
    expect(made).toMatchObject({ name: "nightly", state: "active", overlap: "skip", started: [] })
    expect(made?.next[0]).toMatch(/-02-2[89]T23:00:00\.000Z$/)
    await trigger()
    await completed()
    const [task] = await tasks()
    expect(task?.label).toMatch(/^nightly\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const rows = (await harness.client.audit({ sessionId: task?.id ?? "" })).items
    expect(rows.find(({ action }) => action === "start")).toMatchObject({ by: "schedule:nightly", via: "schedule" })
    const run = await harness.store.runs.get(task?.run_id ?? "")
    expect((await harness.store.snapshots.get(run?.snapshotHash ?? ""))?.limits.budgetMicroUsd).toBe(2_000_000)
  })

  it("starts each due task once, however often the attempt is repeated", async () => {
    await open({ schedules: { nightly: { cron: never, prompt: "Review it." } } })
    const due = { name: "nightly", time: "2026-01-01T06:00:00Z" }
    const first = await harness.client.schedules.start(due)
    expect(await harness.client.schedules.start(due)).toEqual(first)
    expect(await tasks()).toHaveLength(1)
  })

  it("stays paused when the configuration is read again, and takes what has changed in it", async () => {
    await open({ schedules: { nightly: { cron: never, prompt: "Review it." } } })
    await harness.client.schedules.change("nightly", { change: "pause", actor })
    await harness.client.schedules.ensure()
    expect(await harness.client.schedules.list()).toMatchObject([{ state: "paused" }])
    expect(await harness.client.schedules.change("nightly", { change: "resume", actor })).toMatchObject({
      state: "active",
    })
  })

  it("is not made if the settings of its tasks are refused, and keeps no other one from being made", async () => {
    const agents = { locked: { type: "llm", sandbox: "require" } } as const
    const schedules = {
      nightly: { cron: never, prompt: "Review it.", agent: "locked" },
      weekly: { cron: never, prompt: "Sort it." },
    }
    expect(await open({ agents, schedules, security: { sandbox: "off" } })).toEqual([
      { name: "nightly", reason: expect.stringContaining("agents.locked.sandbox") },
    ])
    expect(await harness.client.schedules.list()).toMatchObject([
      { name: "nightly", state: "unmade" },
      { name: "weekly", state: "active" },
    ])
  })

  it("is not made if its tasks would lack a secret, which is named", async () => {
    const ntfy = await startNtfy()
    const notify = { phone: { type: "ntfy", url: `${ntfy.url}/alerts`, tokenEnv: "NTFY" } } as const
    const schedules = { nightly: { cron: never, prompt: "Review it.", notify: { failed: ["phone"] } } }
    expect(await open({ notify, schedules })).toEqual([
      { name: "nightly", reason: expect.stringContaining("would lack NTFY") },
    ])
    expect(await harness.client.schedules.list()).toMatchObject([{ name: "nightly", state: "unmade" }])
    await expect(trigger()).rejects.toMatchObject({
      message: expect.stringContaining("no worker has made the schedule"),
    })
  })

  it("says nothing about a task that finds nothing, and reports one that fails, to the destinations of the schedule", async () => {
    const ntfy = await startNtfy()
    const notify = { phone: { type: "ntfy", url: `${ntfy.url}/alerts` } } as const
    const schedules = { nightly: { cron: never, prompt: "Review it.", notify: { failed: ["phone"] } } }
    await open({ notify, schedules }, createFakeTurns({ text: "Nothing found." }))
    await trigger()
    await completed()
    expect((await harness.client.deliveries.list()).items).toEqual([])
    await harness.close()
    await open({ notify, schedules }, createFakeTurns({ text: "No.", stop: "refusal" }))
    await harness.client.schedules.start({ name: "nightly", time: "2026-01-02T06:00:00Z" })
    await eventually(async () => ntfy.published("alerts").length === 1)
    expect(ntfy.published("alerts")).toMatchObject([{ title: expect.stringContaining("failed") }])
  })
})
