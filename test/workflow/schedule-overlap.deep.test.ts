import type { ScheduleUpdateOptions } from "@temporalio/client"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { runScheduleId } from "../../domain/schedules/scheduled-run.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"

let harness: Harness
const write = { calls: [["Write", { file_path: "a.txt", content: "x" }]] } as const
const done = { text: "Nothing found." } as const
const schedule = () => harness.temporal.schedule.getHandle(runScheduleId(taskQueueOf(harness.store.storeId), "nightly"))

afterEach(async () => {
  await schedule().delete()
  for (const { id } of (await harness.client.list({})).items)
    await harness.client.cancel(id, { by: "ana", via: "cli" }).catch(() => undefined)
  await harness.close()
})

type Nightly = NonNullable<ConfigInput["schedules"]>[string]

/** Makes a schedule of the configuration due every second, with the rules that it has. The first task waits for a person. */
const open = async (rules: Partial<Nightly>): Promise<void> => {
  const nightly = { cron: "0 0 29 2 *", prompt: "Review it.", ...rules }
  harness = await openHarness({ model: createFakeTurns(write, done), config: { schedules: { nightly } } })
  await harness.client.schedules.ensure()
  await schedule().update((before): ScheduleUpdateOptions => ({
    ...before,
    spec: { intervals: [{ every: "1 second" }] },
  }))
}
const skipped = async () => (await schedule().describe()).info.numActionsSkippedOverlap
const statuses = async () => (await harness.client.list({})).items.map(({ status }) => status)

describe("a task that is due while the one before waits for a person", () => {
  it("is skipped", async () => {
    await open({ overlap: "skip" })
    await eventually(async () => (await skipped()) >= 2)
    await eventually(async () => (await statuses()).includes("paused"))
    expect(await statuses()).toEqual(["paused"])
  })

  it("starts after it, once, however often it was due", async () => {
    await open({ overlap: "queue" })
    await eventually(async () => (await skipped()) >= 2)
    await eventually(async () => (await statuses()).includes("paused"))
    expect(await statuses()).toEqual(["paused"])
    const [task] = (await harness.client.list({})).items
    await harness.client.cancel(task?.id ?? "", { by: "ana", via: "cli" })
    const both = async () => (await statuses()).toSorted().join(" ") === "cancelled paused"
    await eventually(both, { timeoutMs: 180_000 })
  })

  it("replaces it", async () => {
    await open({ overlap: "cancel-running" })
    await eventually(async () => (await statuses()).includes("cancelled"))
    await eventually(async () => (await statuses()).length >= 2)
  })
})
