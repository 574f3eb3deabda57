import { describe, expect, it } from "vitest"
import { signLink } from "../../../sessions/pauses/links/issue-link.ts"
import {
  comment,
  github,
  slack,
  slackBody,
  standard,
  webhookConfig,
  webhookEnv,
} from "../../helpers/http/signed-webhooks.ts"
import { noWorker } from "../client/fake-temporal.ts"
import { httpFixture } from "./http-fixture.ts"

const rule = { approvers: ["ana", "ben"], require: 1, notOwn: false }
const anaToken = "token-of-ana"
const ciToken = "token-of-ci"

/** A server with a paused session, whose one call only ana and ben decide. */
const covered = async (callRule: { readonly rule?: typeof rule } = { rule }) => {
  const fixture = await httpFixture({
    env: { ...webhookEnv, ANA: anaToken, CI_TOKEN: ciToken },
    config: {
      people: { ana: { slack: "U123", token: "laptop" }, ben: { github: "octo-ben" } },
      inbound: {
        ...webhookConfig.inbound,
        gh: { type: "github", secretEnv: "GH", approvers: ["ben", "Octocat"] },
        chat: { type: "slack", secretEnv: "SL", approvers: ["ana", "U9"] },
      },
      http: {
        tokens: [
          { name: "laptop", tokenEnv: "ANA", scopes: ["approve", "read"] },
          { name: "ci", tokenEnv: "CI_TOKEN", scopes: ["admin"] },
        ],
      },
    },
  })
  fixture.temporal.onUpdate = () => {
    throw noWorker()
  }
  const id = await fixture.started()
  const call = { id: "call_1", name: "Deploy", arguments: {}, preview: { summary: "Deploy", flags: [] }, ...callRule }
  const { checkpointId } = await fixture.pause(id, { calls: [call] })
  const sent = () => fixture.temporal.execution(id).signals.length + fixture.temporal.execution(id).updates.length
  const post = (url: string, payload: string | object, headers: Record<string, string>) =>
    fixture.ask({ method: "POST", url, payload, headers })
  const hook = (name: string, payload: string, headers: Record<string, string>) =>
    post(`/v1/hooks/${name}`, payload, headers)
  const withToken = (token: string) =>
    post(
      `/v1/sessions/${id}/tools/decisions`,
      { checkpoint_id: checkpointId, all: { action: "accept" } },
      { authorization: `Bearer ${token}` },
    )
  const byLink = async (person?: string) => {
    const { token } = await signLink(fixture.store, {
      checkpointId,
      to: "ana",
      ...(person === undefined ? {} : { person }),
    })
    return await post(`/v1/approvals/${token}`, { action: "accept" }, {})
  }
  return { ...fixture, id, checkpointId, sent, hook, withToken, byLink }
}

describe("a call that only some people decide", () => {
  it("is not decided by a token, a comment, a button, a program or a link of anybody else", async () => {
    const { id, checkpointId, sent, hook, withToken, byLink, store } = await covered()
    const commented = comment(`/approve ${id}`)
    const pressed = slackBody({ task_id: id, checkpoint_id: checkpointId, action: "approve" }, "U9")
    const signed = JSON.stringify({ task_id: id, action: "approve" })
    const answers = [
      await withToken(ciToken),
      await hook("gh", commented, github(commented)),
      await hook("chat", pressed, slack(pressed)),
      await hook("ci", signed, standard(signed)),
      await byLink(),
    ]
    for (const { status, body } of answers)
      expect([status, body]).toEqual([
        403,
        expect.objectContaining({ error: expect.stringContaining("approval by one of ana, ben") }),
      ])
    expect(sent()).toBe(0)
    const refused = (await store.audit.list({ sessionId: id })).filter(({ action }) => action === "decide-refused")
    expect(refused.map(({ via }) => via).toSorted()).toEqual([
      "http",
      "link",
      "webhook:chat",
      "webhook:ci",
      "webhook:gh",
    ])
  })

  it("is decided by a person's own token", async () => {
    const { id, sent, withToken, store } = await covered()
    expect((await withToken(anaToken)).status).toBe(200)
    expect(sent()).toBeGreaterThan(0)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ by: "laptop", detail: { person: "ana" } })
  })

  it("is decided by a person's button, and by another one's comment", async () => {
    const first = await covered()
    const pressed = slackBody({ task_id: first.id, checkpoint_id: first.checkpointId, action: "approve" }, "U123")
    expect((await first.hook("chat", pressed, slack(pressed))).status).toBe(200)
    expect((await first.store.audit.list({ sessionId: first.id }))[0]).toMatchObject({ detail: { person: "ana" } })
    const second = await covered()
    const commented = comment(`/approve ${second.id}`, { login: "Octo-Ben" })
    expect((await second.hook("gh", commented, github(commented))).status).toBe(202)
    expect((await second.store.audit.list({ sessionId: second.id }))[0]).toMatchObject({ detail: { person: "ben" } })
  })

  it("is decided by a link that was made for one person, and not by one that another client asked for in their name", async () => {
    const { id, ask, checkpointId, byLink, sent, store } = await covered()
    const asked = await ask({
      method: "POST",
      url: "/v1/approval-links",
      payload: { checkpoint_id: checkpointId, to: "ana" },
      headers: { authorization: `Bearer ${ciToken}` },
    })
    const url = new URL(asked.body.url).pathname
    expect((await ask({ method: "POST", url, payload: { action: "accept" } })).status).toBe(403)
    expect(sent()).toBe(0)
    expect((await byLink("ana")).status).toBe(200)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ via: "link", detail: { person: "ana" } })
  })
})

describe("a link that was made for one person", () => {
  it("shows and decides nothing once the person is no longer in people", async () => {
    const { id, ask, checkpointId, byLink, sent, store } = await covered({})
    const { token } = await signLink(store, { checkpointId, person: "cleo" })
    const refusal = {
      code: "forbidden",
      error: "this link was made for cleo, who is no longer in people: ask for a new one",
    }
    expect((await ask({ url: `/v1/approvals/${token}` })).body).toMatchObject(refusal)
    expect(await byLink("cleo")).toMatchObject({ status: 403, body: refusal })
    const single = { decisions: { call_1: { action: "accept" } } }
    expect((await ask({ method: "POST", url: `/v1/approvals/${token}`, payload: single })).body).toMatchObject(refusal)
    expect(sent()).toBe(0)
    const refused = (await store.audit.list({ sessionId: id })).filter(({ action }) => action === "decide-refused")
    expect(refused).toMatchObject([{ by: "cleo", via: "link" }, { via: "link" }])
    expect((await byLink("ana")).status).toBe(200)
  })
})
