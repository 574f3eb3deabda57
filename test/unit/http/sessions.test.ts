import { describe, expect, it } from "vitest"
import type { MessageRow } from "../../../store/store.ts"
import { sessionSchema } from "../../../contracts/session/session.ts"
import { createPng } from "../../helpers/media-files.ts"
import { request } from "../client/client-fixture.ts"
import { httpFixture } from "./http-fixture.ts"

const post = (url: string, payload?: object, headers: Record<string, string> = {}) =>
  ({ method: "POST", url, headers, ...(payload === undefined ? {} : { payload }) }) as const

describe("sessions over HTTP", () => {
  it("are created idle, and the first message starts their run", async () => {
    const { ask, temporal } = await httpFixture()
    const created = await ask(post("/v1/sessions", { title: "Count", cwd: "/srv/project", metadata: { ticket: 7 } }))
    expect(created.status).toBe(201)
    expect(sessionSchema.parse(created.body)).toMatchObject({
      status: "pending",
      run_id: null,
      title: "Count",
      depth: 0,
    })
    expect(created.headers["location"]).toBe(`/v1/sessions/${created.body.id}`)
    expect(temporal.executions.size).toBe(0)
    const sent = await ask(
      post(`/v1/sessions/${created.body.id}/messages`, { message: "Count the lines.", max_steps: 7 }),
    )
    expect(sent.status).toBe(202)
    expect(sent.body).toEqual({ run_id: expect.stringMatching(/^run_/), state: "accepted", effect: "started" })
    expect(temporal.execution(created.body.id).options.args[0]).toMatchObject({ run: { run_id: sent.body.run_id } })
    const shown = await ask({ url: `/v1/sessions/${created.body.id}` })
    expect(shown.body).toMatchObject({ status: "pending", run_id: sent.body.run_id })
    expect((await ask(post(`/v1/sessions/${created.body.id}/messages`, { message: "More." }))).body).toMatchObject({
      code: "session_already_running",
    })
  })

  it("start one run if two first messages arrive at the same moment", async () => {
    const { ask, temporal } = await httpFixture()
    const { body } = await ask(post("/v1/sessions", {}))
    const answers = await Promise.all(
      ["one", "two"].map((message) => ask(post(`/v1/sessions/${body.id}/messages`, { message }))),
    )
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["202", "409"])
    expect(temporal.executions.size).toBe(1)
  })

  it("reject steering before they run, with a code that says so", async () => {
    const { ask } = await httpFixture()
    const { body } = await ask(post("/v1/sessions", {}))
    const steered = await ask(post(`/v1/sessions/${body.id}/messages`, { message: "Left!", type: "steering" }))
    expect([steered.status, steered.body.code]).toEqual([409, "session_not_running"])
  })

  it("keep a child inside its parent: depth, number and directory", async () => {
    const { ask, started } = await httpFixture()
    const parent = await started()
    const child = await ask(post("/v1/sessions", { parent_session_id: parent }))
    expect(child.body).toMatchObject({ parent_session_id: parent, root_session_id: parent, depth: 1 })
    expect(child.body.session_key).toBe(`agent:general:subagent:${child.body.id}`)
    const grandchild = await ask(post("/v1/sessions", { parent_session_id: child.body.id }))
    expect([grandchild.status, grandchild.body.code]).toEqual([403, "forbidden"])
    const tree = await ask({ url: `/v1/sessions/${parent}/tree` })
    expect(tree.body).toMatchObject({ id: parent, children: [{ id: child.body.id, children: [] }] })
    const listed = await ask({ url: `/v1/sessions?parent_session_id=${parent}` })
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([child.body.id])
  })

  it("answer 404 for a session that does not exist, on every route", async () => {
    const { ask } = await httpFixture()
    const answers = await Promise.all([
      ask({ url: "/v1/sessions/nobody" }),
      ask({ url: "/v1/sessions/nobody/tree" }),
      ask({ url: "/v1/sessions/nobody/diff" }),
      ask({ url: "/v1/sessions/nobody/messages" }),
      ask({ url: "/v1/sessions/nobody/events" }),
      ask({ url: "/v1/sessions/nobody/tools/pending" }),
      ask({ method: "DELETE", url: "/v1/sessions/nobody" }),
      ask(post("/v1/sessions/nobody/messages", { message: "x" })),
      ask(post("/v1/sessions/nobody/cancel")),
      ask(post("/v1/sessions/nobody/model", { model: "main" })),
      ask(post("/v1/sessions/nobody/retry")),
      ask(post("/v1/sessions/nobody/fork", { at_step: 1 })),
      ask(post("/v1/sessions/nobody/tools/decisions", { run_id: "r", decisions: { c: { action: "accept" } } })),
    ])
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, "session_not_found"])
  })

  it("show what a session changed in its worktree, and refuse one without a worktree", async () => {
    const { ask, started, store } = await httpFixture()
    const id = await started()
    const none = await ask({ url: `/v1/sessions/${id}/diff` })
    expect([none.status, none.body.error]).toEqual([400, expect.stringContaining("has no worktree")])
    await store.worktrees.open({ sessionId: id, machine: "m1", path: "/worktrees/s1", source: "/project" })
    const details = { files: [], diff: "+new", is_cut: true, left_out: [], problem: null }
    const ended = { status: "changed", tree: "4b825d", patch: Buffer.from("+new\n+more\n"), details } as const
    await store.worktrees.end(id, ended)
    expect((await ask({ url: `/v1/sessions/${id}/diff` })).body).toEqual({
      ...{ session_id: id, status: "changed", tree: "4b825d", encoding: "utf-8", is_whole: true },
      is_redacted: false,
      patch: "+new\n+more\n",
    })
  })

  it("retry the model call of a session that waits for its provider, and of no other one", async () => {
    const { ask, started, store, temporal } = await httpFixture()
    const id = await started()
    const refused = await ask(post(`/v1/sessions/${id}/retry`))
    expect([refused.status, refused.body.code]).toEqual([409, "session_not_running"])
    const since = "2026-11-21T10:00:00.000Z"
    const blockedBy = { type: "provider_unavailable", since, reason: "overloaded", next_at: since } as const
    await store.sessions.patch(id, { status: "running", blockedBy })
    const { status, body } = await ask(post(`/v1/sessions/${id}/retry`))
    expect([status, body]).toEqual([200, { session_id: id, status: "running" }])
    expect(temporal.execution(id).signals.at(-1)).toMatchObject({
      name: "retry",
      payload: { signature: expect.any(String) },
    })
    expect(await store.audit.list({ sessionId: id, limit: 1 })).toMatchObject([{ action: "retry", via: "http" }])
  })

  it("name the invalid field, and start nothing", async () => {
    const { ask, temporal } = await httpFixture()
    const { body } = await ask(post("/v1/sessions", {}))
    const url = `/v1/sessions/${body.id}/messages`
    const refused = async (payload: object) => (await ask(post(url, payload))).body
    expect(await refused({ message: "x", colour: 1 })).toMatchObject({ code: "invalid_argument" })
    expect((await refused({ message: "x", colour: 1 })).error).toContain("colour")
    expect((await refused({ message: "x", max_steps: 257 })).error).toContain("body.max_steps")
    expect((await refused({ message: "x", max_steps: 0 })).error).toContain("body.max_steps")
    expect((await refused({})).error).toContain("either message or messages")
    expect((await refused({ message: "x", messages: ["y"] })).error).toContain("either message or messages")
    expect((await refused({ message: "x", type: "shout" })).error).toContain("body.type")
    expect((await ask({ url: "/v1/sessions?limit=0" })).body.error).toContain("query.limit")
    expect((await ask({ url: "/v1/sessions?cursor=zzz" })).status).toBe(400)
    expect(temporal.executions.size).toBe(0)
  })

  it("return the transcript page by page", async () => {
    const { ask, started, store } = await httpFixture()
    const id = await started()
    for (const seq of [1, 2, 4, 7])
      await store.messages.put(id, {
        seq,
        runId: "run_1",
        step: seq,
        fence: 1,
        message: { role: "user", source: "input", text: `text ${seq}` },
      })
    await store.sessions.patch(id, { headSeq: 7 })
    const seqs: number[] = []
    let cursor: string | null = "0"
    while (cursor !== null) {
      const page = await ask({ url: `/v1/sessions/${id}/messages?limit=2&cursor=${cursor}` })
      seqs.push(...page.body.items.map(({ seq }: { seq: number }) => seq))
      cursor = page.body.next_cursor
    }
    expect(seqs).toEqual([1, 2, 4, 7])
  })

  it("show what was sent to them and not read yet, each text until it is in the transcript", async () => {
    const { ask, started, store } = await httpFixture()
    const id = await started()
    const { runId } = (await store.sessions.get(id)) ?? {}
    await store.sessions.patch(id, { status: "running" })
    const say = (message: string, type: string) => ask(post(`/v1/sessions/${id}/messages`, { message, type }))
    const queued = async () => {
      const { body } = await ask({ url: `/v1/sessions/${id}` })
      return body.queued_messages.map(({ type, text }: { type: string; text: string }) => `${type}: ${text}`)
    }
    for (const text of ["Left!", "Left!"]) expect((await say(text, "steering")).status).toBe(202)
    expect((await say("And then?", "follow_up")).status).toBe(202)
    expect(await queued()).toEqual(["steering: Left!", "steering: Left!", "follow_up: And then?"])
    const put = (seq: number, source: "steering" | "follow_up", text: string) =>
      store.messages.put(id, {
        ...{ seq, runId: runId ?? "", step: 1, fence: 1 },
        message: { role: "user", source, text },
      })
    await put(5, "steering", "Left!")
    expect(await queued()).toEqual(["steering: Left!", "follow_up: And then?"])
    await put(6, "steering", "Left!")
    await put(7, "follow_up", "And then?")
    expect(await queued()).toEqual([])
    await say("Late", "follow_up")
    await store.sessions.patch(id, { status: "cancelled" })
    expect(await queued()).toEqual([])
  })

  it("say from where to follow a transcript, so that the result of a slower call is not missed", async () => {
    const { ask, started, store } = await httpFixture()
    const id = await started()
    const put = async (seq: number, message: MessageRow["message"]) => {
      await store.messages.put(id, { seq, runId: "run_1", step: 1, fence: 1, message })
      await store.sessions.patch(id, { headSeq: 4 })
    }
    const result = (callId: string) =>
      ({ role: "tool", call_id: callId, name: "Read", outcome: "ok", content: "text" }) as const
    const follow = async (cursor: string) => {
      const { body } = await ask({ url: `/v1/sessions/${id}/messages?cursor=${cursor}` })
      return { seqs: body.items.map(({ seq }: { seq: number }) => seq), next: body.follow_cursor }
    }
    await put(1, { role: "user", source: "instruction", text: "Look" })
    await put(2, { role: "user", source: "input", text: "Now" })
    await put(4, result("fast"))
    const first = await follow("0")
    expect(first).toEqual({ seqs: [1, 2, 4], next: "2" })
    await put(3, result("slow"))
    expect(await follow(first.next)).toEqual({ seqs: [3, 4], next: "4" })
    expect(await follow("4")).toEqual({ seqs: [], next: "4" })
  })

  it("are deleted permanently: cancelled, erased, gone from Temporal, with the audit kept", async () => {
    const { ask, started, store, temporal } = await httpFixture()
    const id = await started()
    temporal.onCancel = (execution) => void (execution.status = "CANCELLED")
    expect((await ask({ method: "DELETE", url: `/v1/sessions/${id}` })).status).toBe(204)
    expect((await ask({ url: `/v1/sessions/${id}` })).status).toBe(404)
    expect((await ask({ method: "DELETE", url: `/v1/sessions/${id}` })).status).toBe(404)
    expect(temporal.executions.size).toBe(0)
    expect(await store.audit.list({ sessionId: id })).toMatchObject([
      { action: "delete", by: "local", via: "http" },
      { action: "start" },
    ])
  })

  it("are terminated if nobody ends them, and nothing is deleted while Temporal is unreachable", async () => {
    const { ask, started, temporal } = await httpFixture()
    const [stuck, other] = [await started(), await started()]
    expect((await ask({ method: "DELETE", url: `/v1/sessions/${stuck}` })).status).toBe(204)
    expect((await ask({ url: `/v1/sessions/${stuck}` })).status).toBe(404)
    temporal.before = () => {
      throw Object.assign(new Error("refused"), { code: 14, details: "refused", metadata: { get: () => [] } })
    }
    const refused = await ask({ method: "DELETE", url: `/v1/sessions/${other}` })
    expect([refused.status, refused.body.code]).toEqual([503, "temporal_unavailable"])
    temporal.before = () => undefined
    expect((await ask({ url: `/v1/sessions/${other}` })).status).toBe(200)
  })

  it("do not widen what they were given", async () => {
    const { ask, started, finish } = await httpFixture()
    const id = await started()
    await finish(id, "completed")
    const url = `/v1/sessions/${id}/messages`
    for (const wider of [{ max_steps: 31 }, { auto_approve: true }, { allowed_tools: ["Write"] }])
      expect((await ask(post(url, { message: "Again.", ...wider }))).body).toMatchObject({ code: "limit_widened" })
    expect((await ask(post(url, { message: "Again.", max_steps: 3, auto_approve: false }))).status).toBe(202)
  })
})

describe("the list of sessions", () => {
  it("finds sessions by a part of their title, and counts them by status", async () => {
    const { ask, client, finish } = await httpFixture()
    const { sessionId } = await client.start({ ...request, prompt: "Write the Release notes" })
    await client.start({ ...request, prompt: "Something else" })
    await finish(sessionId, "completed")
    const odd = await ask({ url: "/v1/sessions?q=%00" })
    expect([odd.status, odd.body.code]).toEqual([400, "invalid_argument"])
    const found = await ask({ url: "/v1/sessions?q=release" })
    expect(found.body.items.map(({ id }: { id: string }) => id)).toEqual([sessionId])
    expect(found.body.counts).toMatchObject({ completed: 1, pending: 0 })
    const all = await ask({ url: "/v1/sessions?status=completed" })
    expect(all.body.counts).toMatchObject({ completed: 1, pending: 1 })
    expect((await ask({ url: "/v1/sessions?archived=true" })).body.items).toEqual([])
  })
})

describe("images and PDF files over HTTP", () => {
  it("have the type of their bytes and run no script; another session has none of them", async () => {
    const { server, ask, store } = await httpFixture()
    const [first, second] = await Promise.all([ask(post("/v1/sessions", {})), ask(post("/v1/sessions", {}))])
    const png = createPng(8, 6)
    const stored = { sha256: "s", data: png }
    await store.media.put(first.body.id, [{ ...stored, id: "m1", mediaType: "image/png" }], 10_000)
    await store.media.put(first.body.id, [{ ...stored, id: "m2", mediaType: "application/pdf" }], 10_000)
    const get = (id: string, mediaId: string) =>
      server.app.inject({ method: "GET", url: `/v1/sessions/${id}/media/${mediaId}` })
    const image = await get(first.body.id, "m1")
    expect(image.statusCode).toBe(200)
    expect(image.rawPayload.equals(png)).toBe(true)
    expect(image.headers).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*; sandbox$/),
      "cache-control": "no-store",
    })
    expect((await get(first.body.id, "m2")).headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": 'attachment; filename="m2.pdf"',
    })
    for (const [id, mediaId, code] of [
      [second.body.id, "m1", "media_not_found"],
      [first.body.id, "m3", "media_not_found"],
      ["nobody", "m1", "session_not_found"],
    ]) {
      const refused = await ask({ url: `/v1/sessions/${id}/media/${mediaId}` })
      expect([refused.status, refused.body.code]).toEqual([404, code])
    }
  })
})
