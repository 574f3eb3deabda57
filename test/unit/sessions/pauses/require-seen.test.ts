import { describe, expect, it } from "vitest"
import {
  comment,
  github,
  slack,
  slackBody,
  standard,
  webhookConfig,
  webhookEnv,
} from "../../../helpers/http/signed-webhooks.ts"
import { nextMillisecond } from "../../../helpers/eventually.ts"
import { httpFixture } from "../../http/http-fixture.ts"

// A comment, a button or a request without a checkpoint decided the pause that was open when it arrived, also if
// it was written about an earlier one: for GitHub within a minute, for the others at any time.

const first = "cp_first0000000000000000000"
const second = "cp_second000000000000000000"

/** A session whose first pause was decided and whose second one is open; `seenAt` is a moment before that. */
const afterAnotherPause = async (type: "tool_approval_required" | "input_required" = "tool_approval_required") => {
  const fixture = await httpFixture({ config: webhookConfig, env: webhookEnv })
  const id = await fixture.started()
  await fixture.pause(id, { checkpointId: first })
  const seenAt = new Date()
  await nextMillisecond()
  await fixture.store.pauses.close(id, first)
  await fixture.pause(id, { checkpointId: second, ordinal: 1, type })
  const deliver = async (name: string, payload: string, headers: Record<string, string>) => {
    const { status, body } = await fixture.ask({ method: "POST", url: `/v1/hooks/${name}`, payload, headers })
    return [status, body.code ?? body.status]
  }
  return { id, seenAt, deliver, signals: () => fixture.temporal.execution(id).signals }
}

const stale = [409, "checkpoint_stale"]

describe("an approval that was written while another pause was open", () => {
  it("does not count as a comment on GitHub, unless it names the checkpoint that is open", async () => {
    const { id, seenAt, deliver, signals } = await afterAnotherPause()
    const createdAt = seenAt.toISOString()
    for (const text of [`/approve ${id}`, `/approve ${id} call_1`, `/reject ${id}`, `/approve ${id} ${first}`]) {
      const payload = comment(text, { createdAt })
      expect(await deliver("gh", payload, github(payload))).toEqual(stale)
    }
    expect(signals()).toEqual([])
    const payload = comment(`/approve ${second} call_1`, { createdAt })
    expect(await deliver("gh", payload, github(payload))).toEqual([202, "accepted"])
    expect(signals()).toMatchObject([
      { payload: { checkpoint_id: second, decisions: { call_1: { action: "accept" } }, by: "octocat" } },
    ])
  })

  it("does not count as a button in a message about the other pause", async () => {
    const { id, seenAt, deliver, signals } = await afterAnotherPause()
    const value = { task_id: id, action: "approve" }
    const old = slackBody(value, "U123", { message: { ts: `${seenAt.getTime() / 1_000}` } })
    expect(await deliver("chat", old, slack(old))).toEqual(stale)
    const unknown = slackBody(value)
    expect(await deliver("chat", unknown, slack(unknown))).toEqual(stale)
    expect(signals()).toEqual([])
    const current = slackBody(value, "U123", { message: { ts: `${(Date.now() + 1_000) / 1_000}` } })
    expect(await deliver("chat", current, slack(current))).toEqual([200, "accepted"])
  })

  it("does not count as a request that was signed before", async () => {
    const { id, seenAt, deliver, signals } = await afterAnotherPause()
    const payload = JSON.stringify({ action: "approve", task_id: id })
    const at = new Date(seenAt.getTime() - 1_000)
    expect(await deliver("ci", payload, standard(payload, "a", at))).toEqual(stale)
    expect(signals()).toEqual([])
    const later = new Date(Date.now() + 1_000)
    expect(await deliver("ci", payload, standard(payload, "b", later))).toEqual([202, "accepted"])
  })

  it("does not count as an answer that was signed before the question", async () => {
    const { id, seenAt, deliver, signals } = await afterAnotherPause("input_required")
    const payload = JSON.stringify({ action: "input", task_id: id, text: "yes" })
    const at = new Date(seenAt.getTime() - 1_000)
    expect(await deliver("ci", payload, standard(payload, "a", at))).toEqual(stale)
    expect(signals()).toEqual([])
  })
})

describe("a comment in another repository", () => {
  it("decides nothing if the hook names its repositories, and the audit records it", async () => {
    const { gh, ...others } = webhookConfig.inbound
    const fixture = await httpFixture({
      config: { inbound: { ...others, gh: { ...gh, repositories: ["Acme/shop"] } } },
      env: webhookEnv,
    })
    const id = await fixture.started()
    await fixture.pause(id)
    const deliver = (repository?: string) => {
      const payload = comment(`/approve ${id}`, repository === undefined ? {} : { repository })
      return fixture.ask({ method: "POST", url: "/v1/hooks/gh", payload, headers: github(payload) })
    }
    expect((await deliver("mallory/shop")).body).toMatchObject({ code: "forbidden" })
    expect((await deliver()).body).toMatchObject({ code: "forbidden" })
    expect(fixture.temporal.execution(id).signals).toEqual([])
    expect((await fixture.store.audit.list({ sessionId: id })).slice(0, 2)).toMatchObject([
      { action: "webhook-refused", detail: { reason: "another repository" } },
      { action: "webhook-refused", detail: { reason: "another repository" } },
    ])
    expect((await deliver("acme/Shop")).status).toBe(202)
  })
})
