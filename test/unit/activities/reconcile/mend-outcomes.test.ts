import { expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { deliveryWorkflowId } from "../../../../domain/engine/engine-names.ts"
import { reconcilerRig } from "./reconciler-rig.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

it("an outcome that the reconciler records is announced, even if the store is away after the run has its outcome", async () => {
  const rig = await reconcilerRig()
  const webhooks = [{ url: "http://127.0.0.1:9/hook", secretEnv: "HOOK_SECRET", events: ["run-finished" as const] }]
  await rig.put("s1", "paused", { snapshotHash: await rig.store.snapshots.put({ ...baseSnapshot, webhooks }) })
  rig.execution("s1").status = "TERMINATED"
  rig.hooks.store = (method) => {
    if (method === "deliveries.create") throw new AdjutantError("storage_failed", "the disk is full")
  }
  expect(await rig.pass({ jobs: ["outcomes"] })).toMatchObject({ mended: 0, failed: ["outcomes"] })
  expect((await rig.store.runs.latest("s1"))?.status).toBe("failed")

  rig.hooks.store = () => undefined
  expect(await rig.pass({ jobs: ["outcomes"] })).toMatchObject({ mended: 1, failed: [] })
  expect(await rig.statusOf("s1")).toBe("failed")
  const deliveries = await rig.store.deliveries.list({ sessionId: "s1" })
  expect(deliveries).toMatchObject([{ event: "run-finished", status: "pending" }])
  expect(deliveries.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { session: { id: "s1", status: "failed" }, result: { status: "failed", stop_reason: "terminated" } },
  ])
  expect(rig.asked.started).toEqual(deliveries.map(({ key }) => deliveryWorkflowId(key)))
})
