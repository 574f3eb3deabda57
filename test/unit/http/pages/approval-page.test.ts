import { describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { webhookHolder } from "../../../../domain/caller/caller-id.ts"
import type { NewPausedCall } from "../../../../store/schema/pause-table.ts"
import { httpFixture } from "../http-fixture.ts"

// The page of a link offered to approve all calls where one changes a protected file, which is refused. It said "Asked: webhook" to the people who read a webhook's message, and
// "No decision was made" to those who opened a link again after they had decided. A body that it could not read was "invalid input".

const html = { accept: "text/html" }
const first = { id: "call_1", name: "Bash", arguments: { command: "ls" } }
const guarded = {
  id: "call_2",
  name: "Write",
  arguments: { file_path: ".envrc", content: "x" },
  preview: { summary: "Write .envrc (new file, +1 −0)", flags: [], protected_path: ".envrc" },
  isProtected: true,
}

const tokens = [
  { name: "ana", tokenEnv: "ANA", scopes: ["approve" as const] },
  { name: "bob", tokenEnv: "BOB", scopes: ["approve" as const] },
  { name: "ci", tokenEnv: "CI", scopes: ["read" as const, "run" as const] },
]
const env = { ANA: "ana-secret", BOB: "bob-secret", CI: "ci-secret-1" }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
/** A decision by a link needs the token of an approver. */
const bound = { config: { http: { tokens, linksNeedToken: true } } }

const linkTo = async (
  to: string | undefined,
  { calls = [first], config = {} }: { readonly calls?: readonly NewPausedCall[]; readonly config?: ConfigInput } = {},
) => {
  const fixture = await httpFixture({ config, env })
  const id = await fixture.started()
  const { checkpointId } = await fixture.pause(id, { calls })
  const { token } = await fixture.client.issueLink({ checkpointId, ...(to === undefined ? {} : { to }) })
  const url = `/v1/approvals/${token}`
  const show = async () => (await fixture.ask({ url, headers: html })).text
  const decide = (payload: object, headers: Readonly<Record<string, string>> = {}) =>
    fixture.ask({ method: "POST", url, payload, headers })
  return { ...fixture, checkpointId, id, url, show, decide }
}

describe("the page of a link to several calls, one of which changes a protected file", () => {
  it("offers what the server accepts: each call by itself, or a rejection of all", async () => {
    const { show, decide } = await linkTo("ana", { calls: [first, guarded] })
    const page = await show()
    expect(page).not.toContain("Approve all")
    expect(page).toContain("Reject all 2 calls")
    expect(page).toContain(
      '<a href="#call-2">Write .envrc (new file, +1 −0)</a> changes a protected file or leaves the sandbox: approve it by itself, above.',
    )
    expect(page.match(/>Approve this call</g)).toHaveLength(2)
    expect((await decide({ action: "accept" })).body).toMatchObject({ protected_pending: ["call_2"] })
    expect((await decide({ decisions: { call_2: { action: "accept" } } })).status).toBe(200)
    expect((await decide({ action: "reject" })).body).toMatchObject({ code: "checkpoint_stale" })
  })

  it("offers to approve all others once it is decided", async () => {
    const { show, store, id, checkpointId } = await linkTo("ana", {
      calls: [first, { ...first, id: "call_3" }, guarded],
    })
    expect(await show()).not.toContain("Approve all")
    await store.pauses.setCalls(id, checkpointId, ["call_1", "call_3"])
    expect(await show()).toContain("Approve all 2 calls")
  })

  it("offers to approve it where it is the only one, which the link then names", async () => {
    const { show, decide, temporal, id } = await linkTo("ana", { calls: [guarded] })
    expect(await show()).toContain('value="accept">Approve</button>')
    expect((await decide({ action: "accept" })).status).toBe(200)
    expect(temporal.execution(id).updates).toMatchObject([{ payload: { decisions: { call_2: { action: "accept" } } } }])
  })
})

describe("a decision that a link cannot read", () => {
  it.each([{}, { action: "acept" }])("is answered with what can be sent: %j", async (payload) => {
    const { decide } = await linkTo("ana")
    expect((await decide(payload)).body).toMatchObject({
      code: "invalid_argument",
      error: "body: give action (accept, reject, edit or custom_result), or decisions",
    })
  })
})

describe("who a link asks", () => {
  it.each([
    ["the person it was made for", "ana@example.org", {}, "ana@example.org"],
    ["nobody by name", undefined, {}, "everybody who has this link"],
    ["the readers of a webhook", webhookHolder, {}, "everybody who has this link, which a webhook sent"],
    ["approvers with a token", webhookHolder, bound, "every approver: a decision needs your token"],
    ["one approver with a token", "ana", bound, "ana"],
  ])("is said in words of a person: %s", async (_name, to, options, text) => {
    const page = await (await linkTo(to, options)).show()
    expect(page).toContain(`<dt>Asked of</dt><dd>${text}</dd>`)
    expect(page).toMatch(/<dt>Since<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d UTC, [\d.hms]+ ago<\/dd>/)
    // The change comes before the facts of the system, and the task, the approver and the end before the change.
    const places = [`asked of ${text} · until `, "<article", "<dl>"].map((part) => page.indexOf(part))
    expect(places).toEqual(places.toSorted((left, right) => left - right))
    expect(places).not.toContain(-1)
  })
})

describe("a link that decides nothing any more", () => {
  it("says to whom opens it that nothing is left, and to whom decides that no decision was made", async () => {
    const { ask, show, store, id, checkpointId, decide, client } = await linkTo("ana")
    const { token } = await client.issueLink({ checkpointId })
    await store.pauses.close(id, checkpointId)
    expect(await show()).toMatch(
      /<h1>Nothing is left to decide<\/h1><p>This pause of session \S+ is no longer open: .*\.<\/p>/,
    )
    expect((await decide({ action: "accept" })).body).toMatchObject({ code: "checkpoint_stale" })
    const sent = {
      method: "POST",
      url: `/v1/approvals/${token}`,
      headers: html,
      payload: { action: "accept" },
    } as const
    expect((await ask(sent)).text).toContain("<h1>No decision was made</h1>")
    expect((await ask({ url: "/v1/approvals/forged.link", headers: html })).text).toContain(
      "<h1>This link cannot be used</h1>",
    )
  })
})

describe("the page of a link that needs no token", () => {
  // The page told its address, which decides, to the pages of its origin.
  it("sends its address to no other page, and accepts the form of a browser that then sends no origin", async () => {
    const { ask, url, decide, temporal, id } = await linkTo(undefined, { config: { http: { tokens } } })
    const page = await ask({ url, headers: html })
    expect(page.headers["referrer-policy"]).toBe("no-referrer")
    expect((await decide({ action: "accept" }, { origin: "https://evil.example" })).status).toBe(403)
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({ action: "accept" }, { origin: "null" })).status).toBe(200)
    const other = await ask({ method: "POST", url: "/v1/sessions", payload: {}, headers: { origin: "null" } })
    expect(other.status).toBe(403)
  })
})

// A link decided for everybody who had read it.
describe("a link that needs a token", () => {
  it("decides only with the token of an approver, in that name", async () => {
    const { show, decide, temporal, id, store } = await linkTo(undefined, bound)
    expect(await show()).toContain('type="password"')
    expect((await decide({ action: "accept" })).body).toMatchObject({ code: "unauthorized" })
    expect((await decide({ action: "accept", token: "wrong-secret" })).body).toMatchObject({ code: "unauthorized" })
    expect((await decide({ action: "accept", token: env.CI })).body).toMatchObject({ code: "forbidden" })
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({ action: "accept", token: env.BOB })).status).toBe(200)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ by: "bob", via: "link" })
  })

  it("is only for the holder of the token to whose name it was issued", async () => {
    const { decide, temporal, id } = await linkTo("ana", bound)
    expect((await decide({ action: "accept" }, bearer(env.BOB))).body).toMatchObject({ code: "forbidden" })
    expect(temporal.execution(id).updates).toEqual([])
    expect((await decide({ action: "accept" }, bearer(env.ANA))).status).toBe(200)
  })
})
