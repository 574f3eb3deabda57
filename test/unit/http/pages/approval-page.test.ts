import { describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { webhookHolder } from "../../../../domain/caller/caller-id.ts"
import { approvalText } from "../../../../cli/text/approval-text.ts"
import type { NewPausedCall } from "../../../../store/schema/pause-table.ts"
import { httpFixture } from "../http-fixture.ts"

// The page of a link offered to approve all calls where one changes a protected file, which is refused, and so did the
// commands that "adjutant approvals" prints. It said "Asked: webhook" to the people who read a webhook's message, and
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

const linkTo = async (
  to: string | undefined,
  { calls = [first], config = {} }: { readonly calls?: readonly NewPausedCall[]; readonly config?: ConfigInput } = {},
) => {
  const fixture = await httpFixture({ config, env: { ANA: "ana-secret" } })
  const id = await fixture.started()
  const { checkpointId } = await fixture.pause(id, { calls })
  const { token } = await fixture.client.issueLink({ checkpointId, ...(to === undefined ? {} : { to }) })
  const url = `/v1/approvals/${token}`
  const show = async () => (await fixture.ask({ url, headers: html })).text
  const decide = (payload: object) => fixture.ask({ method: "POST", url, payload })
  return { ...fixture, checkpointId, id, show, decide }
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
  const tokens = [{ name: "ana", tokenEnv: "ANA", scopes: ["approve" as const] }]
  const bound = { config: { http: { tokens, linksNeedToken: true } } }
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

describe("the commands that the list of approvals prints", () => {
  it("name a call that an approval of all calls does not include", async () => {
    const { client } = await linkTo("ana", { calls: [first, guarded] })
    const { items } = await client.approvals({})
    expect(items.map((item) => approvalText(item, { now: 0 })).join("\n")).toMatch(
      /Approve: {2}adjutant run -c \S+ --approve-all --approve call_2\n/,
    )
  })

  // The hint went by the preview, which does not say so where it could not be made.
  it("go by the rule of the server, whatever a preview says", async () => {
    const { preview, ...unseen } = guarded
    const shown = { ...first, preview }
    const { client, id } = await linkTo("ana", { calls: [shown, unseen] })
    const { items } = await client.approvals({})
    expect(items.map((item) => approvalText(item, { now: 0 })).join("\n")).toContain(
      " --approve-all --approve call_2\n",
    )
    const document = await client.outcome(id)
    expect(document).toMatchObject({
      outcome: "paused",
      pause_reason: { pending_tool_calls: [{ id: "call_1" }, { id: "call_2", protected: true }] },
      resume_hint: expect.stringMatching(/ --approve-all --approve call_2$/),
    })
  })
})
