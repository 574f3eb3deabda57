import { describe, expect, it } from "vitest"
import { httpFixture } from "./http-fixture.ts"

const paused = async (options: Parameters<typeof httpFixture>[0] = {}, pause: object = {}) => {
  const fixture = await httpFixture(options)
  const id = await fixture.started()
  const { checkpointId } = await fixture.pause(id, pause)
  const made = await fixture.ask({
    method: "POST",
    url: "/v1/approval-links",
    payload: { checkpoint_id: checkpointId, to: "ana@example.org" },
  })
  const { pathname } = new URL(made.body.url)
  const decide = (payload: object) => fixture.ask({ method: "POST", url: pathname, payload })
  return { ...fixture, id, checkpointId, made, path: pathname, decide }
}
const html = { accept: "text/html,application/xhtml+xml" }

describe("an approval link", () => {
  it("shows what is pending, as often as a link preview likes, without deciding anything", async () => {
    const { ask, path, id, temporal } = await paused()
    for (let looks = 0; looks < 3; looks += 1) {
      const shown = await ask({ url: path })
      expect(shown.body).toMatchObject({ approval: { session_id: id, pending: [{ id: "call_1" }, { id: "call_2" }] } })
    }
    expect((await ask({ method: "HEAD", url: path })).status).toBe(200)
    expect(temporal.execution(id).updates).toEqual([])
  })

  it("decides the whole pause once, in the name of the person it was created for", async () => {
    const { decide, id, temporal, store } = await paused()
    expect(await decide({ action: "reject", content: "too risky" })).toMatchObject({
      status: 200,
      body: { state: "applied" },
    })
    expect(temporal.execution(id).updates).toMatchObject([
      {
        name: "decide",
        payload: { all: { action: "reject", content: "too risky" }, by: "ana@example.org", via: "link" },
      },
    ])
    const again = await decide({ action: "reject", content: "too risky" })
    expect([again.status, again.body.code]).toEqual([410, "link_used"])
    expect(temporal.execution(id).updates).toHaveLength(1)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ by: "ana@example.org", via: "link" })
  })

  it("leaves in the audit who created it, and for whom", async () => {
    const { id, checkpointId, made, store } = await paused()
    const [entry] = await store.audit.list({ sessionId: id })
    expect(entry).toMatchObject({
      action: "link",
      via: "http",
      detail: { checkpoint_id: checkpointId, to: "ana@example.org", expires_at: made.body.expires_at },
    })
    expect(entry?.by).not.toBe("ana@example.org")
    expect(JSON.stringify(entry)).not.toContain(made.body.token)
  })

  it("shows the beginning of a long change, and all of it on request", async () => {
    const lines = Array.from({ length: 432 }, (_, at) => `+line ${at + 1}`)
    const whole = { summary: "Write a.md (new file, +432 −0)", flags: [], diff: lines.join("\n") }
    const call = { id: "call_1", name: "Write", arguments: {}, preview: { ...whole, diff: "+line 1", is_cut: true } }
    const { ask, path, id, store } = await paused({}, { calls: [call] })
    await store.callPreviews.put(id, [{ seq: 3, callId: "call_1", preview: whole, watched: null }])
    const first = await ask({ url: path, headers: html })
    expect(first.text).toContain('<a href="?whole=true#call-1">Show the whole change</a>')
    expect(first.text).not.toContain("line 432")
    const shown = await ask({ url: `${path}?whole=true`, headers: html })
    expect(shown.text.match(/<ins>/g)).toHaveLength(432)
    expect(shown.text).not.toContain("This is the beginning")
    const listed = await ask({ url: "/v1/approvals" })
    expect(listed.body.items[0].pending[0].preview).toMatchObject({ diff: "+line 1", is_cut: true })
    const read = await ask({ url: `/v1/sessions/${id}/tools/call_1/preview` })
    expect(read.body).toEqual(whole)
    expect((await ask({ url: `/v1/sessions/${id}/tools/call_9/preview` })).body.code).toBe("call_not_found")
  })

  it("decides single calls, and stays valid for the others until its pause is decided", async () => {
    const { decide, ask, path, id, temporal, store, checkpointId } = await paused()
    const page = await ask({ url: path, headers: html })
    expect(page.text).toContain("2 calls wait")
    expect(page.text).toContain("<dd>ana@example.org</dd>")
    expect(page.text).toMatch(/<dt>Until<\/dt><dd>\d{4}-/)
    expect((await ask({ url: path })).body).toMatchObject({ to: "ana@example.org" })
    expect((await decide({ decisions: {} })).status).toBe(400)
    expect((await decide({ action: "accept", decisions: { call_1: { action: "accept" } } })).status).toBe(400)
    expect((await decide({ decisions: { call_1: { action: "reject", content: "no" } } })).status).toBe(200)
    const form = await ask({
      method: "POST",
      url: path,
      headers: { ...html, "content-type": "application/x-www-form-urlencoded" },
      payload: "call_id=call_2&content=unused&action=accept",
    })
    expect([form.status, form.text.includes("Show what else waits")]).toEqual([200, true])
    expect(temporal.execution(id).updates).toMatchObject([
      { payload: { decisions: { call_1: { action: "reject", content: "no" } }, by: "ana@example.org", via: "link" } },
      { payload: { decisions: { call_2: { action: "accept" } } } },
    ])
    await store.pauses.close(id, checkpointId)
    expect((await decide({ decisions: { call_2: { action: "accept" } } })).body).toMatchObject({
      code: "checkpoint_stale",
    })
  })

  it("approves a single call with other arguments, which are stored and not sent to Temporal", async () => {
    const calls = [{ id: "c", name: "Bash", arguments: { command: "rm -r /" } }]
    const { decide, id, temporal, store } = await paused({}, { calls })
    expect((await decide({ action: "edit" })).body).toMatchObject({ code: "invalid_argument" })
    expect((await decide({ action: "edit", arguments: { script: "ls" } })).body).toMatchObject({
      code: "invalid_argument",
    })
    expect((await decide({ action: "edit", arguments: { command: "ls" } })).status).toBe(200)
    const [update] = temporal.execution(id).updates
    const argumentsId = /"arguments_id":"(edit_[0-9a-f]{40})"/.exec(JSON.stringify(update))?.[1] ?? ""
    expect(JSON.stringify(update)).not.toContain('"ls"')
    expect((await store.inbox.get(id, argumentsId))?.text).toBe('{"command":"ls"}')
  })

  it("accepts only one of two simultaneous clicks", async () => {
    const { decide, id, temporal } = await paused()
    const answers = await Promise.all([decide({ action: "accept" }), decide({ action: "reject" })])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "410"])
    expect(temporal.execution(id).updates).toHaveLength(1)
  })

  it("shows texts line by line, and spells out characters that a browser would hide or reorder", async () => {
    const command = "ls\nrm -rf \u202etxt.\u200bb/ # \u0007"
    const { ask, path } = await paused(
      {},
      { calls: [{ id: "c", name: "Bash", arguments: { command, timeout_ms: 5 } }] },
    )
    const { text } = await ask({ url: path, headers: html })
    expect(text).toContain("<pre>ls\nrm -rf \\u202etxt.\\u200bb/ # \\u0007</pre>")
    expect(text).toContain("<li>timeout_ms: 5</li>")
  })

  it("is a page with a form for people, whatever the calls contain", async () => {
    const { ask, path, decide } = await paused(
      {},
      { calls: [{ id: "c", name: "Bash", arguments: { command: "<script>alert(1)</script>" } }] },
    )
    const page = await ask({ url: path, headers: html })
    expect(page.headers["content-type"]).toContain("text/html")
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'")
    expect(page.text).toContain("&lt;script&gt;alert(1)")
    expect(page.text).not.toContain("<script>")
    expect((await decide({ action: "shout" })).status).toBe(400)
    const sent = await ask({
      method: "POST",
      url: path,
      headers: { ...html, "content-type": "application/x-www-form-urlencoded" },
      payload: "content=&action=accept",
    })
    expect([sent.status, sent.text.includes("Approved")]).toEqual([200, true])
    const again = await ask({
      method: "POST",
      url: path,
      headers: { ...html, "content-type": "application/x-www-form-urlencoded" },
      payload: "action=accept",
    })
    expect([again.status, again.text.includes("No decision was made")]).toEqual([410, true])
  })

  it("leaves calls that change protected files pending when all are approved, and stays valid for them", async () => {
    const calls = [
      { id: "docs", name: "Write", arguments: { file_path: "docs.md" } },
      { id: "hook", name: "Write", arguments: { file_path: ".git/hooks/pre-commit" }, isProtected: true },
    ]
    const { ask, decide, path, id, store } = await paused({}, { calls })
    const show = async () => (await ask({ url: path, headers: html })).text
    expect(await show()).toContain(">Approve the other 1 call</button>")
    const first = await decide({ action: "accept" })
    expect([first.status, first.body.protected_pending]).toEqual([200, ["hook"]])
    // The same again approves nothing: only the form of that call does.
    expect((await decide({ action: "accept" })).body).toEqual(first.body)
    const left = await show()
    expect(left).toContain("approve it by itself, above")
    expect(left.match(/value="accept"/g)).toHaveLength(1)
    expect((await decide({ decisions: { hook: { action: "accept" } } })).status).toBe(200)
    const audited = (await store.audit.list({ sessionId: id })).flatMap(({ detail }) => detail["decisions"] ?? [])
    expect(audited).toEqual([{ hook: "accept" }, { docs: "accept" }])
  })

  it("says who decided what after a decision, and to everyone who opens the link later", async () => {
    const { ask, path, id, checkpointId, store, decide } = await paused()
    expect((await ask({ url: path, headers: html })).text).toContain("<dt>Asked of</dt><dd>ana@example.org</dd>")
    const rejected = await ask({
      ...{ method: "POST", url: path, headers: { ...html, "content-type": "application/x-www-form-urlencoded" } },
      payload: "call_id=call_1&action=reject",
    })
    const first = /<dd>rejected by ana@example\.org \(link\), \d{4}-\d\d-\d\d \d\d:\d\d UTC<\/dd>/
    expect(rejected.text).toMatch(first)
    expect((await decide({ decisions: { call_2: { action: "accept" } } })).status).toBe(200)
    await store.pauses.close(id, checkpointId)
    const later = await ask({ url: path, headers: html })
    expect([later.status, later.text.includes("Nothing is left to decide")]).toEqual([409, true])
    expect(later.text).toMatch(first)
    expect(later.text).toContain("<dd>approved by ana@example.org (link), ")
  })

  it("answers a question with a text", async () => {
    const { decide, id, temporal } = await paused({}, { type: "input_required", calls: [] })
    expect((await decide({ action: "accept" })).body).toMatchObject({ code: "invalid_argument" })
    expect((await decide({ action: "custom_result" })).body).toMatchObject({ code: "invalid_argument" })
    expect((await decide({ action: "custom_result", content: "Blue." })).status).toBe(200)
    expect(temporal.execution(id).updates).toMatchObject([{ name: "send" }])
  })

  it("is rejected if it is forged, changed, expired or too late", async () => {
    const { ask, path, decide, store, id, checkpointId, client } = await paused()
    const [payload = "", signature = ""] = path.split("/").at(-1)!.split(".")
    const other = Buffer.from(Buffer.from(payload, "base64url").toString().replace(checkpointId, "cp_other")).toString(
      "base64url",
    )
    for (const token of [
      `${other}.${signature}`,
      `${payload}.${"A".repeat(43)}`,
      payload,
      `${payload}.`,
      `.${signature}`,
      `${payload}.${signature}.x`,
      "x",
    ])
      expect((await ask({ url: `/v1/approvals/${token}` })).body).toMatchObject({ code: "link_invalid" })
    const { token } = await client.issueLink({ checkpointId, ttlMs: 1 })
    const issued = Date.now()
    while (Date.now() - issued < 2) await Promise.resolve()
    expect((await ask({ url: `/v1/approvals/${token}` })).body).toMatchObject({ code: "link_expired" })
    await store.pauses.close(id, checkpointId)
    expect((await decide({ action: "accept" })).body).toMatchObject({ code: "checkpoint_stale" })
  })

  it("needs no token, while creating one does", async () => {
    const env = { ADJUTANT_API_TOKEN: "master-secret" }
    const fixture = await httpFixture({ env })
    const { checkpointId } = await fixture.pause(await fixture.started())
    const make = { method: "POST", url: "/v1/approval-links", payload: { checkpoint_id: checkpointId } } as const
    expect((await fixture.ask(make)).status).toBe(401)
    const made = await fixture.ask({ ...make, headers: { authorization: "Bearer master-secret" } })
    expect((await fixture.ask({ url: new URL(made.body.url).pathname })).status).toBe(200)
  })

  it("can be used again if its decision could not be stored", async () => {
    const { decide, temporal } = await paused()
    temporal.before = () => {
      throw Object.assign(new Error("refused"), { code: 14, details: "refused", metadata: { get: () => [] } })
    }
    expect((await decide({ action: "accept" })).body).toMatchObject({ code: "temporal_unavailable" })
    temporal.before = () => undefined
    expect((await decide({ action: "accept" })).status).toBe(200)
  })
})

describe("the form of an approval link that edits a call", () => {
  const formType = { "content-type": "application/x-www-form-urlencoded" }
  const opened = async (...given: Parameters<typeof paused>) => {
    const fixture = await paused(...given)
    const { ask, path, id, temporal } = fixture
    return {
      ...fixture,
      show: async () => (await ask({ url: path, headers: html })).text,
      send: (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = html) => {
        const payload = new URLSearchParams({ action: "edit", ...fields }).toString()
        return ask({ method: "POST", url: path, headers: { ...headers, ...formType }, payload })
      },
      updates: () => temporal.execution(id).updates,
    }
  }
  const one = [{ id: "c", name: "Bash", arguments: { command: "rm -r /\u202e" } }]

  it("shows all arguments, and approves the only call with those that were written there", async () => {
    const { show, send, updates, store, id } = await opened({}, { calls: one })
    const page = await show()
    expect(page).toContain("<summary>Edit the arguments of Bash rm")
    expect(page).toContain(">\n{\n  &quot;command&quot;: &quot;rm -r /\\u202e&quot;\n}</textarea>")
    expect(page).not.toContain("<details open>")
    expect(page).not.toContain('name="call_id"')
    const sent = await send({ arguments: '{\r\n  "command": "ls <b>\\u202e"\r\n}' })
    expect([sent.status, sent.text.includes("Approved with changes")]).toEqual([200, true])
    expect(sent.text).toContain("<pre>{\n  &quot;command&quot;: &quot;ls &lt;b&gt;\\u202e&quot;\n}</pre>")
    expect(updates()).toHaveLength(1)
    const argumentsId = /"arguments_id":"(edit_[0-9a-f]{40})"/.exec(JSON.stringify(updates()))?.[1] ?? ""
    expect((await store.inbox.get(id, argumentsId))?.text).toBe('{"command":"ls <b>\u202e"}')
  })

  it("edits a command or a new text as the person sees it, with the other arguments as they are", async () => {
    const calls = [{ id: "c", name: "Bash", arguments: { command: "make\nmake <check>", timeout_ms: 5 } }]
    const { show, send, updates, store, id } = await opened({}, { calls })
    const page = await show()
    expect(page).toContain("<summary>Edit the command of Bash make")
    expect(page).toContain(">\nmake\nmake &lt;check&gt;</textarea>")
    const before = JSON.stringify(calls[0]?.arguments)
    expect((await send({ edited: "command", before: "{", "text.command": "ls" })).status).toBe(400)
    expect((await send({ edited: "command", before, "text.command": "make\r\nmake all" })).status).toBe(200)
    const argumentsId = /"arguments_id":"(edit_[0-9a-f]{40})"/.exec(JSON.stringify(updates()))?.[1] ?? ""
    expect(JSON.parse((await store.inbox.get(id, argumentsId))?.text ?? "")).toEqual({
      ...{ command: "make\nmake all", timeout_ms: 5 },
    })
  })

  it("edits each new text of several edits in a field of its own", async () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "d" },
    ]
    const calls = [{ id: "c", name: "MultiEdit", arguments: { file_path: "f.ts", edits } }]
    const { show, send, store, updates, id } = await opened({}, { calls })
    const page = await show()
    expect(page).toContain("<summary>Edit the new texts of MultiEdit f.ts")
    expect(page).toContain(`aria-label="The new text 2 of 2 of MultiEdit f.ts`)
    const before = JSON.stringify(calls[0]?.arguments)
    const edited = "edits.0.new_string edits.1.new_string"
    const texts = { "text.edits.0.new_string": "b", "text.edits.1.new_string": "D\r\nE" }
    expect((await send({ edited, before, ...texts })).status).toBe(200)
    const argumentsId = /"arguments_id":"(edit_[0-9a-f]{40})"/.exec(JSON.stringify(updates()))?.[1] ?? ""
    expect(JSON.parse((await store.inbox.get(id, argumentsId))?.text ?? "")).toEqual({
      file_path: "f.ts",
      edits: [edits[0], { old_string: "c", new_string: "D\nE" }],
    })
  })

  it.each([
    ["no JSON", '{"command": <b>', "not valid JSON", 400],
    ["no object", '["ls"]', "must be a JSON object", 400],
    ["nothing", "", "not valid JSON", 400],
    ["not what the tool accepts", '{"script": "ls <b>"}', "do not fit Bash", 400],
  ])("is shown again with its text if that is %s", async (_name, text, problem, status) => {
    const { send, updates, decide } = await opened({}, { calls: one })
    const refused = await send({ arguments: text })
    expect([refused.status, refused.text.includes(problem)]).toEqual([status, true])
    expect(refused.text).toContain('<p class="problem" role="alert">No decision was made: ')
    expect(refused.text).toContain("<details open>")
    const shown = text.replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    expect(refused.text).toContain(`autofocus>\n${shown}</textarea>`)
    expect(updates()).toEqual([])
    expect((await decide({ action: "accept" })).status).toBe(200)
  })

  it("changes one of several calls, and only its own form has what was refused", async () => {
    const { show, send, updates } = await opened()
    expect((await show()).match(/Edit the arguments of /g)).toHaveLength(2)
    const refused = await send({ call_id: "call_1", arguments: "{" })
    expect(refused.text.match(/<details open>/g)).toHaveLength(1)
    expect(refused.text).toMatch(/<details open><summary>Edit the arguments of Bash/)
    const sent = await send({ call_id: "call_1", arguments: '{"command": "ls -l"}' })
    expect([sent.status, sent.text.includes("Show what else waits")]).toEqual([200, true])
    expect(updates()).toMatchObject([
      { payload: { decisions: { call_1: { action: "edit", arguments_id: expect.stringMatching(/^edit_/) } } } },
    ])
    expect((await send({ call_id: "other", arguments: "{}" })).text).toContain("<h1>No decision was made</h1>")
  })

  it("requires the token of an approver where links do, keeps the text without it, and never shows the token", async () => {
    const tokens = [
      { name: "ana", tokenEnv: "ANA", scopes: ["approve" as const] },
      { name: "ci", tokenEnv: "CI", scopes: ["run" as const] },
    ]
    const env = { ANA: "ana-secret", CI: "ci-secret-1" }
    const fixture = await httpFixture({ config: { http: { tokens, linksNeedToken: true } }, env })
    const id = await fixture.started()
    const { checkpointId } = await fixture.pause(id, { calls: one })
    const { token: link } = await fixture.client.issueLink({ checkpointId })
    const send = (fields: Readonly<Record<string, string>>) =>
      fixture.ask({
        ...{ method: "POST", url: `/v1/approvals/${link}`, headers: { ...html, ...formType } },
        payload: new URLSearchParams({ action: "edit", arguments: '{"command": "ls"}', ...fields }).toString(),
      })
    for (const [fields, status] of [
      [{}, 401],
      [{ token: "wrong-secret" }, 401],
      [{ token: "ci-secret-1" }, 403],
    ] as const) {
      const refused = await send(fields)
      expect([refused.status, refused.text.includes("{&quot;command&quot;: &quot;ls&quot;}</textarea>")]).toEqual([
        status,
        true,
      ])
      expect(refused.text).not.toMatch(/wrong-secret|ci-secret-1/)
    }
    expect(fixture.temporal.execution(id).updates).toEqual([])
    expect((await send({ token: "ana-secret" })).status).toBe(200)
    expect(fixture.temporal.execution(id).updates).toMatchObject([{ payload: { by: "ana", via: "link" } }])
  })

  it("answers a program as the rest of the API does", async () => {
    const { send } = await opened({}, { calls: one })
    const { status, body } = await send({ arguments: "{" }, {})
    expect([status, body.code]).toEqual([400, "invalid_json"])
  })

  it("is not offered for arguments that are too long to be read there, nor for a question", async () => {
    const long = [{ id: "c", name: "Write", arguments: { file_path: "a", content: "x".repeat(100_000) } }]
    const write = await opened({}, { calls: long })
    expect(await write.show()).not.toContain("<details")
    const question = await opened({}, { type: "input_required", calls: [] })
    expect(await question.show()).not.toContain("<details")
  })
})
