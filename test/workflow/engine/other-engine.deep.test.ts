import { pino } from "pino"
import { NativeConnection } from "@temporalio/worker"
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { createClient } from "../../../client/create-client.ts"
import { createActivities } from "../../../activities/index.ts"
import { createDependencies } from "../../../worker/create-dependencies.ts"
import { startWorker } from "../../../worker/start-worker.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { openOtherEngine, type OtherEngine } from "../../helpers/engine/other-engine.ts"
import { receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
let other: OtherEngine
const actor = { by: "ana", via: "cli" }

const open = async (config: object = {}): Promise<void> => {
  other = await openOtherEngine(inject("temporalAddress"))
  harness = await openHarness({
    model: createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "painted" }]] }),
    config: {
      ...config,
      timing: { startGraceMs: 0, missingConfirmMs: 0, engineCheckMs: 1, deliveryInitialMs: 60_000 },
    },
    env: { HOOK_SECRET: receiverSecret },
  })
}
afterEach(async () => {
  await harness.close()
  await other.close()
})

const startPaused = async (): Promise<string> => {
  const id = await harness.start({ auto_approve: false, pause_on_approval: true })
  await eventually(async () => {
    const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
    return events.some(({ type }) => type === "run-paused")
  })
  return id
}

/** A client of the same store on the other engine. */
const clientOnOther = (): AdjutantClient =>
  createClient({
    temporal: other.temporal,
    store: harness.store,
    loaded: harness.loaded,
    env: {},
    hasSearchAttributes: true,
    taskQueue: harness.taskQueue,
  })

const written = async (id: string) => ({
  row: await harness.store.sessions.get(id),
  runs: await harness.store.runs.list(id),
  pause: await harness.store.pauses.current(id),
  events: await harness.store.events.lastId(id),
  deliveries: await harness.store.deliveries.list({}),
  missing: await harness.store.missing.get(id),
})

describe("a process on another engine", () => {
  beforeEach(() => open())

  it("writes nothing when it reads a paused session, however old", async () => {
    const id = await startPaused()
    const before = await written(id)
    const client = clientOnOther()
    expect(await client.info(id)).toMatchObject({ status: "paused", engine_state: "unknown" })
    expect(await client.tree(id)).toMatchObject({ status: "paused" })
    expect(await client.outcome(id)).toMatchObject({ outcome: "paused" })
    await client.report(id)
    await client.list({})
    expect(await written(id)).toEqual(before)
  })

  it("cannot run a worker", async () => {
    await startPaused()
    const connection = await NativeConnection.connect({ address: inject("temporalAddress") })
    const started = startWorker({
      connection,
      namespace: other.namespace,
      temporal: other.temporal,
      store: harness.store,
      dataDir: harness.dataDir,
      env: {},
      logger: pino({ level: "silent" }),
      redact: (text) => text,
    })
    await expect(started).rejects.toMatchObject({ code: "engine_mismatch" })
    await connection.close()
  })

  it("records nothing as a reconciler whose server was replaced", async () => {
    const id = await startPaused()
    const before = await written(id)
    const dependencies = createDependencies({
      temporal: other.temporal,
      store: harness.store,
      dataDir: harness.dataDir,
      env: {},
      logger: pino({ level: "silent" }),
      redact: (text) => text,
      timing: harness.loaded.config.timing,
    })
    const { reconcileSessions } = createActivities(dependencies)
    for (const _ of [1, 2, 3])
      expect(await reconcileSessions()).toMatchObject({ stopped: "other_engine", mended: 0, checked: 0 })
    await dependencies.close()
    expect(await written(id)).toEqual(before)
  })

  it("can take over the store and give it back, and no running session is ended", async () => {
    const id = await startPaused()
    expect(await clientOnOther().engine.show()).toMatchObject({ is_same: false, open_sessions: 1, known_sessions: 0 })
    expect(await clientOnOther().engine.move(actor)).toMatchObject({ is_same: true })
    await expect(harness.client.reconcile({}, actor)).rejects.toMatchObject({ code: "engine_mismatch" })
    expect(await clientOnOther().info(id)).toMatchObject({ status: "paused", engine_state: "not_found" })
    expect(await harness.client.engine.move(actor)).toMatchObject({ is_same: true, known_sessions: 1 })
    expect(await harness.client.info(id)).toMatchObject({ status: "paused", engine_state: "running" })
    expect((await harness.client.audit({})).items.map(({ action }) => action).slice(0, 2)).toEqual([
      "engine-move",
      "engine-move",
    ])
  })
})
