import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const ready = { url: "/readyz" }

describe("/readyz", () => {
  it("says that the store answers and that Temporal is the store's own", async () => {
    const { ask } = await httpFixture()
    expect(await ask(ready)).toMatchObject({
      status: 200,
      body: { status: "ready", store: true, temporal: true, engine: "same", missing_sessions: 0, reconciler: "ok" },
    })
  })

  it("is not ready while another Temporal answers, and is again when the right one is back", async () => {
    const { ask, temporal } = await httpFixture()
    await ask(ready)
    temporal.namespaceId = "namespace-2"
    expect(await ask(ready)).toMatchObject({ status: 503, body: { status: "not ready", engine: "other" } })
    temporal.namespaceId = "namespace-1"
    expect((await ask(ready)).status).toBe(200)
  })

  it("is not ready while Temporal does not answer", async () => {
    const { ask, temporal } = await httpFixture()
    temporal.workflowService.describeNamespace = () => Promise.reject(new Error("away"))
    expect(await ask(ready)).toMatchObject({ status: 503, body: { temporal: false, engine: "unknown" } })
  })

  it("says how many sessions are missing, and that the reconciler stopped because of them, and serves on", async () => {
    const { ask, store, started } = await httpFixture()
    await ask(ready)
    const { claimId = "" } = (await store.engine.read()) ?? {}
    for (let count = 1; count <= 6; count += 1) {
      const id = await started()
      const { runId } = (await store.sessions.get(id)) ?? {}
      await store.missing.note(id, { runId: runId ?? "", claimId })
      const { status, body } = await ask(ready)
      expect([status, body.missing_sessions, body.reconciler]).toEqual([200, count, count > 5 ? "stopped" : "ok"])
    }
  })
})
