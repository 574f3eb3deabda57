import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const payload = { message: "Count.", title: "Counting", label: "counter", max_steps: 4 }
const post = (url: string, body: object, headers = {}) => ({ method: "POST", url, payload: body, headers }) as const

describe("POST /v1/runs", () => {
  it("creates a session and starts its run", async () => {
    const { ask, store } = await httpFixture()
    const { status, body, headers } = await ask(post("/v1/runs", payload))
    expect([status, headers["location"]]).toEqual([202, `/v1/sessions/${body.session_id}`])
    expect(await store.sessions.get(body.session_id)).toMatchObject({
      title: "Counting",
      label: "counter",
      depth: 0,
      runId: body.run_id,
      caller: "http:local",
    })
    const run = await store.runs.get(body.run_id)
    expect((await store.snapshots.get(run?.snapshotHash ?? ""))?.limits.maxSteps).toBe(4)
  })

  it.each([
    [{ ...payload, messages: ["Two."] }, 400],
    [{ title: "No text" }, 400],
    [{ ...payload, message: " \n" }, 400],
    [{ ...payload, parent_session_id: "abc123" }, 400],
  ])("stores nothing if it refuses %j", async (body, status) => {
    const { ask, store } = await httpFixture()
    expect((await ask(post("/v1/runs", body))).status).toBe(status)
    expect((await store.sessions.list({ limit: 10 })).items).toEqual([])
  })

  it("keeps the trace to which the request belongs, if it is valid", async () => {
    const { ask, store } = await httpFixture()
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    const traceOf = async (sent: string): Promise<unknown> => {
      const { body } = await ask(post("/v1/runs", payload, { traceparent: sent }))
      return (await store.sessions.get(body.session_id))?.internal["traceparent"]
    }
    expect(await traceOf(traceparent)).toBe(traceparent)
    expect(await traceOf("00-a-b-01")).toBeUndefined()
  })

  it("starts one run for a repeated request", async () => {
    const { ask, store } = await httpFixture()
    const repeated = post("/v1/runs", payload, { "idempotency-key": "one" })
    const [first, second] = [await ask(repeated), await ask(repeated)]
    expect(second.body).toEqual(first.body)
    expect((await store.sessions.list({ limit: 10 })).items).toHaveLength(1)
  })
})

describe("GET /v1/sessions/{id}/outcome", () => {
  it("returns 204 while the session runs, and the document when it is paused", async () => {
    const { ask, started, pause } = await httpFixture()
    const id = await started()
    expect((await ask({ url: `/v1/sessions/${id}/outcome` })).status).toBe(204)
    await pause(id)
    const { status, body } = await ask({ url: `/v1/sessions/${id}/outcome?wait_seconds=5` })
    expect([status, body]).toMatchObject([200, { outcome: "paused", task_id: id }])
  })

  it("limits the wait", async () => {
    const { ask, started } = await httpFixture()
    expect((await ask({ url: `/v1/sessions/${await started()}/outcome?wait_seconds=51` })).status).toBe(400)
  })
})

describe("GET /v1/targets/{target}", () => {
  it("finds a session by its id, its run and its checkpoint, with the decisions on it", async () => {
    const { ask, started, pause, client, store } = await httpFixture()
    const id = await started()
    await pause(id)
    const { run_id: runId, checkpoint_id: checkpoint } = await client.info(id)
    const data = { checkpoint_id: checkpoint, decisions: { call_1: "accept" } }
    await store.events.append(id, [{ type: "decision-recorded", runId: runId ?? "", data }])
    const last_event_id = await store.events.lastId(id)
    const found = async (target: string | null) => (await ask({ url: `/v1/targets/${target}` })).body
    const session = { session_id: id, run_id: null, checkpoint: null, last_event_id }
    expect(await found(id)).toEqual(session)
    expect(await found(runId)).toEqual({ ...session, run_id: runId })
    const open = { id: checkpoint, is_open: true, decisions: { call_1: "accept" } }
    expect(await found(checkpoint)).toEqual({ ...session, checkpoint: open })
    expect((await ask({ url: "/v1/targets/nope" })).body).toMatchObject({ code: "session_not_found" })
  })
})

describe("decisions on a whole pause", () => {
  it.each([
    [{ all: { action: "reject" } }, "reject", "reject"],
    [{ unlisted: "reject", decisions: { call_1: { action: "accept" } } }, "accept", "reject"],
    [{ decisions: { call_1: { action: "accept" } } }, "accept", undefined],
  ])("decide %j", async (body, first, second) => {
    const { ask, started, pause, client, store } = await httpFixture()
    const id = await started()
    await pause(id)
    const { checkpoint_id } = await client.info(id)
    const { status } = await ask(post(`/v1/sessions/${id}/tools/decisions`, { checkpoint_id, ...body }))
    expect(status).toBe(200)
    const [row] = await store.audit.list({ sessionId: id, limit: 1 })
    expect(row?.detail["decisions"]).toEqual(
      second === undefined ? { call_1: first } : { call_1: first, call_2: second },
    )
  })

  it("approve all but the calls that change protected files, and name those", async () => {
    const { ask, started, pause, client } = await httpFixture()
    const id = await started()
    const calls = [
      { id: "docs", name: "Write", arguments: { file_path: "docs.md" } },
      { id: "hook", name: "Write", arguments: { file_path: ".git/hooks/pre-commit" }, isProtected: true },
    ]
    await pause(id, { calls })
    const pending = async () =>
      (await ask({ url: `/v1/sessions/${id}/tools/pending` })).body.pending.map(
        (call: { readonly id: string; readonly protected?: boolean }) => [call.id, call.protected],
      )
    expect(await pending()).toEqual([
      ["docs", undefined],
      ["hook", true],
    ])
    const { checkpoint_id } = await client.info(id)
    const all = { checkpoint_id, all: { action: "accept" } }
    const { status, body } = await ask(post(`/v1/sessions/${id}/tools/decisions`, all))
    expect([status, body.protected_pending]).toEqual([200, ["hook"]])
    expect(await pending()).toEqual([["hook", true]])
  })

  it.each([{ decisions: { call_1: { action: "accept" } } }, { checkpoint_id: "cp_1" }])(
    "refuse %j, which names no pause or no call",
    async (body) => {
      const { ask, started } = await httpFixture()
      const id = await started()
      expect((await ask(post(`/v1/sessions/${id}/tools/decisions`, body))).status).toBe(400)
    },
  )
})
