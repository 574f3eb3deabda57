import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const ready = { url: "/readyz" }

describe("/readyz", () => {
  it("answers 200 if the store answers and the Temporal server is the store's own", async () => {
    const { ask } = await httpFixture()
    expect(await ask(ready)).toMatchObject({
      status: 200,
      body: { status: "ready", store: true, temporal: true, engine: "same", missing_sessions: 0, reconciler: "ok" },
    })
  })

  it("answers 503 while another Temporal server answers, and 200 when the right one is back", async () => {
    const { ask, temporal } = await httpFixture()
    await ask(ready)
    temporal.namespaceId = "namespace-2"
    expect(await ask(ready)).toMatchObject({ status: 503, body: { status: "not ready", engine: "other" } })
    temporal.namespaceId = "namespace-1"
    expect((await ask(ready)).status).toBe(200)
  })

  it("answers 503 while Temporal does not answer", async () => {
    const { ask, temporal } = await httpFixture()
    temporal.workflowService.describeNamespace = () => Promise.reject(new Error("away"))
    expect(await ask(ready)).toMatchObject({ status: 503, body: { temporal: false, engine: "unknown" } })
  })

  it("reports the number of missing sessions and the stopped reconciler, and still answers 200", async () => {
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
