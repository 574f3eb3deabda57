import { describe, expect, it, vi } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { LlmAgentInput } from "../../../../domain/session/agent-input.ts"
import { httpFixture } from "../http-fixture.ts"

const create = (key: string, payload: object = { title: "One" }) =>
  ({ method: "POST", url: "/v1/sessions", headers: { "idempotency-key": key }, payload }) as const

describe("Idempotency-Key", () => {
  it("replays the answer to the same request and rejects another request", async () => {
    const { ask, store } = await httpFixture()
    const first = await ask(create("k"))
    const second = await ask(create("k"))
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers["idempotent-replayed"]).toBe("true")
    const other = await ask(create("k", { title: "Two" }))
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"])
    expect((await store.sessions.list({})).items).toHaveLength(1)
  })

  it("replays the headers of the answer, and where what it created is", async () => {
    const { ask, client, started } = await httpFixture({
      config: { profiles: { source: "store" }, http: { workspaces: ["/srv"] } },
    })
    const view = {
      name: "nightly",
      origin: "added",
      state: "active",
      note: "",
      cron: "",
      timezone: "",
      overlap: "",
    } as const
    vi.spyOn(client.schedules, "add").mockResolvedValue({ ...view, next: [], started: [], by: null })
    vi.spyOn(client, "fork").mockResolvedValue(await client.info(await started()))
    const posts = {
      "/v1/sessions": { title: "One" },
      "/v1/runs": { message: "Count.", cwd: "/srv/project" },
      "/v1/agents": { name: "one", profile: { prompt: "You count." } },
      "/v1/schedules": { name: "nightly", cron: "0 6 * * *", prompt: "Count." },
      "/v1/sessions/other/fork": { at_step: 1 },
    }
    for (const [url, payload] of Object.entries(posts)) {
      const send = async () => {
        const { status, body, headers } = await ask({
          ...create("k", payload),
          url,
          headers: { "idempotency-key": url },
        })
        const { date: _date, "x-request-id": _id, "idempotent-replayed": replayed, ...same } = headers
        return { replayed, answer: { status, body, headers: same } }
      }
      const [first, second] = [await send(), await send()]
      expect([url, first.answer.headers["location"]]).toEqual([url, expect.stringMatching(/^\/v1\/\w+\/\w+$/)])
      expect([second.replayed, second.answer]).toEqual(["true", first.answer])
    }
  })

  it("is for every method that changes something, and replays an answer without a body as it was", async () => {
    const { ask, client } = await httpFixture()
    const change = vi.spyOn(client.schedules, "change").mockRejectedValue(new Error("called twice"))
    const remove = vi.spyOn(client.schedules, "delete").mockRejectedValue(new Error("called twice"))
    const view = {
      name: "nightly",
      origin: "added",
      state: "paused",
      note: "",
      cron: "",
      timezone: "",
      overlap: "",
    } as const
    change.mockResolvedValueOnce({ ...view, next: [], started: [], by: null })
    remove.mockResolvedValueOnce(undefined)
    const asked = { url: "/v1/schedules/nightly", headers: { "idempotency-key": "k" } } as const
    const patch = () => ask({ ...asked, method: "PATCH", payload: { paused: true } })
    const [paused, again] = [await patch(), await patch()]
    expect([again.status, again.body, again.headers["idempotent-replayed"]]).toEqual([200, paused.body, "true"])
    const drop = () => ask({ ...asked, method: "DELETE", headers: { "idempotency-key": "d" } })
    const [deleted, twice] = [await drop(), await drop()]
    expect([twice.status, twice.text, twice.headers["content-type"]]).toEqual([
      204,
      "",
      deleted.headers["content-type"],
    ])
    expect(twice.headers["idempotent-replayed"]).toBe("true")
  })

  it("turns simultaneous requests into one", async () => {
    const { ask, store, temporal } = await httpFixture()
    const sessions = await Promise.all(Array.from({ length: 8 }, () => ask(create("k"))))
    expect(new Set(sessions.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    const url = `/v1/sessions/${sessions[0]?.body.id}/messages`
    const runs = await Promise.all(
      Array.from({ length: 8 }, () =>
        ask({ method: "POST", url, headers: { "idempotency-key": "m" }, payload: { message: "Go." } }),
      ),
    )
    expect(new Set(runs.map(({ status, body }) => `${status} ${body.run_id}`)).size).toBe(1)
    expect((await store.sessions.list({})).items).toHaveLength(1)
    expect(temporal.executions.size).toBe(1)
  })

  it("stays free if the request was rejected", async () => {
    const { ask } = await httpFixture()
    const url = "/v1/sessions/nobody/cancel"
    const cancel = { method: "POST", url, headers: { "idempotency-key": "c" } } as const
    expect((await ask(cancel)).status).toBe(404)
    const again = await ask(cancel)
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([404, undefined])
    // Another request can have it, too.
    expect((await ask({ ...cancel, url: "/v1/sessions/another/cancel" })).status).toBe(404)
  })

  it("passes the request of a server that died to the next attempt, which creates the same session", async () => {
    const { ask, store } = await httpFixture({ limits: { idempotencyWaitMs: 10 } })
    const keys = store.idempotencyKeys
    const { begin, finish } = keys
    // As if the process had died between the work and its answer.
    keys.finish = async () => undefined
    const first = await ask(create("k"))
    expect((await ask(create("k"))).status).toBe(409)
    keys.begin = (claim) => begin({ ...claim, leaseMs: 0 })
    keys.finish = finish
    const second = await ask(create("k"))
    expect([second.status, second.body.id]).toEqual([201, first.body.id])
    expect(second.headers["idempotent-replayed"]).toBeUndefined()
    expect((await store.sessions.list({})).items).toHaveLength(1)
  })

  describe("of a message whose first attempt failed after the run was started", () => {
    const failOnce = async () => {
      const fixture = await httpFixture()
      const { ask, store, temporal } = fixture
      const { body } = await ask(create("s"))
      const url = `/v1/sessions/${body.id}/messages`
      const send = () => ask({ method: "POST", url, headers: { "idempotency-key": "m" }, payload: { message: "Go." } })
      const { create: createRun } = store.runs
      store.runs.create = async () => {
        throw new AdjutantError("storage_failed", "the disk is full")
      }
      expect((await send()).status).toBeGreaterThanOrEqual(500)
      store.runs.create = createRun
      const [input] = temporal.execution(body.id).options.args as readonly LlmAgentInput[]
      return { ...fixture, sessionId: String(body.id), send, message: input?.message }
    }

    it("is accepted as the same message", async () => {
      const { send, temporal, sessionId, message } = await failOnce()
      expect(await send()).toMatchObject({ status: 202, body: { run_id: "run_of_workflow" } })
      expect(temporal.execution(sessionId).updates).toMatchObject([{ name: "send", id: message?.id }])
    })

    it("returns its run once that is in the store", async () => {
      const { send, store, temporal, sessionId, message } = await failOnce()
      const { run_id: runId, snapshot_hash: snapshotHash } = message?.new_run ?? { run_id: "", snapshot_hash: "" }
      await store.runs.create({ runId, sessionId, snapshotHash })
      await store.runs.patch(runId, { status: "running" })
      await store.sessions.patch(sessionId, { runId, status: "running" })
      expect(await send()).toMatchObject({ status: 202, body: { run_id: runId } })
      expect(temporal.execution(sessionId).updates).toEqual([])
    })
  })

  it("answers 409 while the first request is being processed", async () => {
    const { ask, store } = await httpFixture({ limits: { idempotencyWaitMs: 10 } })
    store.idempotencyKeys.begin = async () => ({ kind: "in-progress" })
    const waiting = await ask(create("k"))
    expect([waiting.status, waiting.body.code]).toEqual([409, "idempotency_conflict"])
  })

  it("is one per token", async () => {
    const env = { A_TOKEN: "first-token", B_TOKEN: "second-token" }
    const tokens = ["A", "B"].map((name) => ({ name, tokenEnv: `${name}_TOKEN`, scopes: ["run" as const] }))
    const { ask } = await httpFixture({ config: { http: { tokens } }, env })
    const as = (token: string) =>
      ask({ ...create("k"), headers: { "idempotency-key": "k", authorization: `Bearer ${token}` } })
    expect((await as("first-token")).body.id).not.toBe((await as("second-token")).body.id)
  })

  it("must be well formed", async () => {
    const { ask } = await httpFixture()
    expect((await ask(create("x".repeat(201)))).status).toBe(400)
    expect((await ask(create("two words"))).status).toBe(400)
  })
})
