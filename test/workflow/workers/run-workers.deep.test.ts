import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { workspaceQueueOf } from "../../../domain/engine/engine-names.ts"
import { newSessionId } from "../../../sessions/session-id.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
/** The root of the tree for which the worker runs. */
let root: string

afterEach(() => harness.close())

const open = async (model = createFakeModel(() => ({ text: "Done." })), timing: ConfigInput["timing"] = {}) => {
  root = newSessionId(12)
  harness = await openHarness({ worker: false, model, config: { timing } })
}

/** Starts a session as `adjutant run` does: its activities are offered to the run's own worker first. */
const startHosted = (sessionId: string): Promise<string> =>
  harness.start({ sessionId, hostQueue: workspaceQueueOf(harness.taskQueue, `run-${sessionId}`) })

interface Takers {
  /** Workers that took workflow tasks, and those that took activities. */
  readonly tasks: readonly string[]
  readonly activities: readonly string[]
}

const takersOf = async (...ids: readonly string[]): Promise<Takers> => {
  const histories = await Promise.all(ids.map((id) => harness.handle(id).fetchHistory()))
  const events = histories.flatMap((history) => history?.events ?? [])
  const namesOf = (attributes: readonly ({ identity?: string | null } | null | undefined)[]): readonly string[] =>
    [...new Set(attributes.flatMap((found) => found?.identity ?? []))].toSorted()
  return {
    tasks: namesOf(events.map((event) => event.workflowTaskStartedEventAttributes)),
    activities: namesOf(events.map((event) => event.activityTaskStartedEventAttributes)),
  }
}

const outcomeOf = async (id: string) => (await harness.client.wait(id))?.outcome

describe("a worker of adjutant run", () => {
  it("takes the activities of its tree only, and no workflow tasks while a worker of every session runs", async () => {
    await open()
    const everybody = await harness.startWorker()
    const hosted = await harness.startWorker({ hostFor: root })
    const others = await Promise.all(Array.from({ length: 5 }, () => harness.start()))
    const own = await startHosted(root)
    expect(await Promise.all([...others, own].map(outcomeOf))).toEqual(Array.from({ length: 6 }, () => "completed"))
    expect(await takersOf(own)).toEqual({ tasks: [everybody.identity], activities: [hosted.identity] })
    expect(await takersOf(...others)).toEqual({ tasks: [everybody.identity], activities: [everybody.identity] })
  })

  it("executes the workflow itself while nobody else does", async () => {
    await open()
    const hosted = await harness.startWorker({ hostFor: root })
    const own = await startHosted(root)
    expect(await outcomeOf(own)).toBe("completed")
    expect(await takersOf(own)).toEqual({ tasks: [hosted.identity], activities: [hosted.identity] })
  })

  it("continues a run when the worker that executed its workflow stops in the middle", async () => {
    const held = createHeldModel()
    await open(held.provider)
    const everybody = await harness.startWorker()
    const hosted = await harness.startWorker({ hostFor: root })
    const own = await startHosted(root)
    await eventually(() => held.isWaiting(own))
    await everybody.stop()
    held.reply(own, { text: "Done." })
    expect(await outcomeOf(own)).toBe("completed")
    expect(await takersOf(own)).toEqual({
      tasks: [everybody.identity, hosted.identity].toSorted(),
      activities: [hosted.identity],
    })
  })

  it("refuses to execute workflows that a later version executed", async () => {
    await open()
    await harness.store.build.write({ buildId: "adjutant-later", version: "99.0.0", patches: [] })
    await expect(harness.startWorker({ hostFor: root })).rejects.toMatchObject({
      code: "no_worker",
      message: expect.stringMatching(/last executed by Adjutant 99\.0\.0/) as unknown,
    })
  })
})

describe("an activity that no worker takes", () => {
  /** How long each offer of the session's first model call waited for a worker, in milliseconds. */
  const offersOf = async (id: string): Promise<readonly number[]> => {
    const { events } = await harness.handle(id).fetchHistory()
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
      const { seconds = 0, nanos = 0 } = scheduled?.scheduleToStartTimeout ?? {}
      return scheduled?.activityType?.name === "callModel" ? [Number(seconds) * 1_000 + Number(nanos) / 1e6] : []
    })
  }

  it("is offered less and less often", async () => {
    await open(undefined, { hostQueueTimeoutMs: 50 })
    // It executes the workflow, and no activities of other trees.
    await harness.startWorker({ hostFor: root })
    const id = await harness.start({ hostQueue: workspaceQueueOf(harness.taskQueue, "gone") })
    await eventually(async () => (await offersOf(id)).length >= 7)
    expect((await offersOf(id)).slice(0, 7)).toEqual([50, 100, 200, 400, 600, 600, 600])
    await harness.client.cancel(id, { by: "test", via: "cli" })
    await eventually(async () => (await harness.client.info(id)).status === "cancelled")
  })
})
