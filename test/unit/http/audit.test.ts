import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

describe("GET /v1/audit", () => {
  it("shows who started a run, through which channel and with which approval", async () => {
    const { ask } = await httpFixture()
    const started = await ask({ method: "POST", url: "/v1/runs", payload: { message: "Count." } })
    const { session_id: sessionId } = started.body
    const { status, body } = await ask({ method: "GET", url: `/v1/audit?session_id=${sessionId}` })
    expect(status).toBe(200)
    expect(body.items[0]).toMatchObject({
      ...{ session_id: sessionId, action: "message", by: "local", via: "http", actor: "person" },
      ...{ hash: expect.stringMatching(/^[0-9a-f]{64}$/), detail: { approval: "policy" } },
    })
    expect((await ask({ method: "GET", url: `/v1/sessions/${sessionId}` })).body).toMatchObject({ approval: "policy" })
  })

  it("is paged, newest first, and bounded by times", async () => {
    const { ask, store } = await httpFixture()
    const entry = { sessionId: "s1", runId: null, by: "ana", via: "cli", detail: {} }
    for (const action of ["a", "b", "c"]) await store.audit.record({ ...entry, action })
    const page = async (query: string) => (await ask({ method: "GET", url: `/v1/audit?${query}` })).body
    const first = await page("limit=2")
    expect(first.items.map(({ action }: { action: string }) => action)).toEqual(["c", "b"])
    const second = await page(`limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ items: [{ action: "a" }], next_cursor: null })
    expect((await page("to=2000-01-01")).items).toEqual([])
    expect((await page("from=2000-01-01T00:00:00Z")).items).toHaveLength(3)
    expect(await page("from=yesterday")).toMatchObject({ code: "invalid_argument" })
  })

  it("requires the scope admin", async () => {
    const { ask } = await httpFixture({
      config: { http: { tokens: [{ name: "ci", tokenEnv: "CI", scopes: ["read", "run", "approve"] }] } },
      env: { CI: "token-of-ci" },
    })
    const answer = await ask({ method: "GET", url: "/v1/audit", headers: { authorization: "Bearer token-of-ci" } })
    expect(answer.status).toBe(403)
  })

  it("has a refused decision, and a contrary one is told who decided before", async () => {
    const { ask, pause, started, store } = await httpFixture()
    const id = await started()
    const { checkpointId } = await pause(id)
    const decide = (action: string) =>
      ask({
        method: "POST",
        url: `/v1/sessions/${id}/tools/decisions`,
        payload: { checkpoint_id: checkpointId, decisions: { call_1: { action } } },
      })
    expect((await decide("accept")).status).toBeLessThan(300)
    await store.pauses.close(id, checkpointId)
    const late = await decide("reject")
    expect(late.body).toMatchObject({ code: "already_decided" })
    expect(late.body.error).toMatch(/call call_1 was already approved at .* by local/)
    const { items } = (await ask({ method: "GET", url: `/v1/audit?session_id=${id}` })).body
    expect(items).toMatchObject([
      { action: "decide-refused", detail: { decisions: { call_1: "reject" }, code: "already_decided" } },
      { action: "decide", actor: "person", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { action: "start" },
    ])
  })
})
