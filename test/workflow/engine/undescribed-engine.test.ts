import type { Client } from "@temporalio/client"
import { afterEach, expect, inject, it } from "vitest"
import { createEngineGuard } from "../../../sessions/engine/create-engine-guard.ts"
import { reconcileScheduleId } from "../../../engine/reconcile-schedule.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { openOtherEngine, type OtherEngine } from "../../helpers/engine/other-engine.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
let other: OtherEngine

afterEach(async () => {
  await harness.close()
  await other.close()
})

/** A client as a server treats one that may not describe namespaces. */
const withoutDescribing = (temporal: Client): Client =>
  new Proxy(temporal, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (name !== "workflowService") return value
      const denied = Object.assign(new Error("7 PERMISSION_DENIED"), { code: 7, details: "denied", metadata: {} })
      return new Proxy(target.workflowService, {
        get: (service, method) =>
          method === "describeNamespace" ? () => Promise.reject(denied) : (Reflect.get(service, method) as unknown),
      })
    },
  })

it("an engine whose namespace may not be described is recognised by the store's schedule in it", async () => {
  other = await openOtherEngine(inject("temporalAddress"))
  harness = await openHarness({ model: createFakeModel(() => ({ text: "unused" })), worker: false })
  const { store, temporal, taskQueue } = harness
  const guard = createEngineGuard({ temporal: withoutDescribing(temporal), store })
  const claimed = await guard.verify()
  const { info } = await temporal.schedule.getHandle(reconcileScheduleId(taskQueue)).describe()
  expect(claimed).toMatchObject({ namespaceId: null, scheduleCreatedAt: info.createdAt.toISOString() })
  expect(await guard.verify()).toEqual(claimed)

  const elsewhere = withoutDescribing(other.temporal)
  const refused = createEngineGuard({ temporal: elsewhere, store }).verify()
  await expect(refused).rejects.toMatchObject({ code: "engine_mismatch" })
  await elsewhere.schedule.create({
    scheduleId: reconcileScheduleId(taskQueue),
    spec: { intervals: [{ every: "1 hour" }] },
    action: { type: "startWorkflow", workflowType: "reconcile", taskQueue, args: [] },
  })
  const stillRefused = createEngineGuard({ temporal: elsewhere, store }).verify()
  await expect(stillRefused).rejects.toMatchObject({ code: "engine_mismatch" })

  // When it may be described, its namespace is recorded, and the other engine is rejected by it.
  await createEngineGuard({ temporal, store }).verify()
  expect((await store.engine.read())?.namespaceId).toMatch(/^[0-9a-f-]{36}$/)
})
