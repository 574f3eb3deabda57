import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ModelProvider } from "../../models/model-provider.ts"
import { markedProcesses, markNames } from "../../tools/sandbox/process/process-mark.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { createHeldModel } from "../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

// With a cluster heartbeats are too rare to carry a cancel: it travels by the store.

let harness: Harness
afterEach(() => harness.close())

/** What a reset does not apply again, as the engine numbers it. */
const cancelRequest = 4

const actor = { by: "test", via: "cli" }

const open = async (model: ModelProvider): Promise<Harness> => {
  harness = await openHarness({ model, config: { timing: { liveness: "cluster" } } })
  return harness
}

interface Calls {
  /** Results of the activities that completed, each as JSON. */
  readonly results: readonly string[]
  readonly failed: number
  readonly stopsRequested: number
}

const callsOf = async (id: string): Promise<Calls> => {
  const events = (await harness.handle(id).fetchHistory()).events ?? []
  const text = (data: Uint8Array | null | undefined): string => Buffer.from(data ?? []).toString()
  return {
    results: events.flatMap(({ activityTaskCompletedEventAttributes: done }) =>
      done == null ? [] : [text(done.result?.payloads?.[0]?.data)],
    ),
    failed: events.filter(({ activityTaskFailedEventAttributes: failed }) => failed != null).length,
    stopsRequested: events.filter(({ markerRecordedEventAttributes: marker }) =>
      text(marker?.details?.["data"]?.payloads?.[0]?.data).includes('"requestStop"'),
    ).length,
  }
}

/** Returns the id of the event with which the first workflow task completed. */
const firstTaskOf = async (id: string) => {
  const events = (await harness.handle(id).fetchHistory()).events ?? []
  const event = events.find(({ workflowTaskCompletedEventAttributes: completed }) => completed != null)
  if (event?.eventId == null) throw new Error("no workflow task has completed")
  return event.eventId
}

describe("a cancel in the cluster profile", () => {
  it("reaches a model call by the store, and the call returns data", async () => {
    const model = createHeldModel()
    const { client, start } = await open(model.provider)
    const id = await start()
    await eventually(() => model.isWaiting(id))
    await client.cancel(id, actor)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    expect((await client.info(id)).status).toBe("cancelled")
    expect(await callsOf(id)).toEqual({ results: ['{"stopped":true}'], failed: 0, stopsRequested: 1 })
    expect(model.calls).toHaveLength(1)
  })

  it("stops all calls of a step with one request, and what they started", async () => {
    const sleep = (name: string) => ["Bash", { command: `touch ${name}; sleep 600 & sleep 600` }] as const
    const { client, start, cwd } = await open(createFakeTurns({ calls: [sleep("first")] }))
    const id = await start({ sandbox: "off" })
    await eventually(() =>
      readFile(join(cwd, "first")).then(
        () => true,
        () => false,
      ),
    )
    await client.cancel(id, actor)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    expect(await markedProcesses({ name: markNames.owner, value: id })).toEqual([])
    const { results, failed, stopsRequested } = await callsOf(id)
    expect([results.at(-1), failed, stopsRequested]).toEqual(['{"stopped":true}', 0, 1])
    const [, , result] = await client.messages(id)
    expect(result?.message).toMatchObject({ role: "tool", name: "Bash", content: expect.stringContaining("cancelled") })
  })

  it("does not stop the calls of the run after its workflow was reset", async () => {
    const model = createHeldModel()
    const { client, start, temporal } = await open(model.provider)
    const id = await start()
    await eventually(() => model.isWaiting(id))
    await client.cancel(id, actor)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    const { runId } = await harness.handle(id).describe()
    await temporal.workflowService.resetWorkflowExecution({
      namespace: "default",
      workflowExecution: { workflowId: harness.handle(id).workflowId, runId },
      workflowTaskFinishEventId: await firstTaskOf(id),
      requestId: randomUUID(),
      reason: "a test",
      resetReapplyExcludeTypes: [cancelRequest],
    })
    await eventually(() => model.isWaiting(id))
    // The worker reads the requests for all of its calls at once: those of this session were read, too.
    const other = await start()
    await eventually(() => model.isWaiting(other))
    await client.cancel(other, actor)
    await eventually(async () => (await harness.handle(other).describe()).status.name === "CANCELLED")
    expect(model.reply(id, { text: "Continued." })).toBe(true)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "COMPLETED")
    expect(await client.outcome(id)).toMatchObject({ outcome: "completed", final_message: "Continued." })
  })

  it("ends a run at its time limit as well", async () => {
    const model = createHeldModel()
    const { client, start } = await open(model.provider)
    // The call has begun by then.
    const id = await start({ timeout_seconds: 5 })
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", error: { code: "timeout" } })
    const { results, failed } = await callsOf(id)
    expect([results, failed]).toEqual([['{"stopped":true}'], 0])
  })
})

describe("a cancel in the embedded profile", () => {
  it("asks the store for nothing", async () => {
    const model = createHeldModel()
    harness = await openHarness({ model: model.provider })
    const id = await harness.start()
    await eventually(() => model.isWaiting(id))
    await harness.client.cancel(id, actor)
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
    expect((await callsOf(id)).stopsRequested).toBe(0)
  })
})
