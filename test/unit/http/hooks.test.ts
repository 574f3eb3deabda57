import { describe, expect, it, vi } from "vitest"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
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

const fixtureWithPause = async (pause: object = {}) => {
  const fixture = await httpFixture({ config: webhookConfig, env: webhookEnv })
  const id = await fixture.started()
  const { checkpointId } = await fixture.pause(id, pause)
  const deliver = (name: string, payload: string, headers: Record<string, string>) =>
    fixture.ask({ method: "POST", url: `/v1/hooks/${name}`, payload, headers })
  const signals = () => fixture.temporal.execution(id).signals
  return { ...fixture, id, checkpointId, deliver, signals }
}

describe("a delivery whose answer could not be stored", () => {
  it("steers once when it is delivered again", async () => {
    const { deliver, id, signals, store } = await fixtureWithPause()
    const payload = JSON.stringify({ action: "steer", task_id: id, text: "Use French." })
    const finish = vi.spyOn(store.idempotencyKeys, "finish")
    finish.mockRejectedValueOnce(new AdjutantError("storage_failed", "made to fail"))
    const statuses = [
      (await deliver("ci", payload, standard(payload))).status,
      (await deliver("ci", payload, standard(payload))).status,
    ]
    expect(statuses).toEqual([503, 202])
    const sent = signals().map((signal) => JSON.stringify(signal.payload))
    expect([sent.length > 0, new Set(sent).size]).toEqual([true, 1])
  })
})

describe("a GitHub comment", () => {
  it("approves by the durable signal, without waiting for a worker, and once however often it is delivered", async () => {
    const { deliver, id, signals, temporal, store } = await fixtureWithPause()
    temporal.onUpdate = () => {
      throw noWorker()
    }
    const payload = comment(`> Write out.txt\n\n/approve ${id} call_1\nLooks good.\n`)
    const first = await deliver("gh", payload, github(payload))
    expect([first.status, first.body]).toEqual([202, { status: "accepted", task_id: id, run_id: expect.any(String) }])
    expect(signals()).toMatchObject([
      {
        name: "decide",
        payload: { decisions: { call_1: { action: "accept" } }, unlisted: "pending", by: "octocat", via: "webhook:gh" },
      },
    ])
    expect(temporal.execution(id).updates).toEqual([])
    const second = await deliver("gh", payload, { ...github(payload), "x-github-delivery": "another" })
    expect([second.status, second.body]).toEqual([202, first.body])
    expect(signals()).toHaveLength(1)
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({ by: "octocat", via: "webhook:gh" })
  })

  it("rejects with a reason", async () => {
    const { deliver, id, signals } = await fixtureWithPause()
    const payload = comment(`/reject ${id} call_1, call_2 -- not on a Friday`)
    await deliver("gh", payload, github(payload))
    const rejected = { action: "reject", content: "not on a Friday" }
    expect(signals()).toMatchObject([{ payload: { decisions: { call_1: rejected, call_2: rejected } } }])
  })

  it("counts only from an approver; anybody else is rejected, and the audit records it", async () => {
    const { deliver, id, signals, store } = await fixtureWithPause()
    const payload = comment(`/approve ${id}`, { login: "mallory" })
    const refused = await deliver("gh", payload, github(payload))
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"])
    expect(signals()).toEqual([])
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({
      ...{ action: "webhook-refused", by: "mallory", via: "webhook:gh", kind: "person" },
    })
  })

  it("is rejected if it is forged, unsigned or signed with another secret", async () => {
    const { deliver, id, signals } = await fixtureWithPause()
    const payload = comment(`/approve ${id}`)
    const { "x-hub-signature-256": _, ...unsigned } = github(payload)
    const forgeries = [
      unsigned,
      github(payload, "wrong"),
      github(`${payload} `),
      { ...unsigned, "x-hub-signature-256": "sha256=zz" },
    ]
    for (const headers of forgeries) expect((await deliver("gh", payload, headers)).status).toBe(401)
    expect(signals()).toEqual([])
  })

  it("does not decide calls proposed after it was written, and does not count if it is quoted, edited or shown as code", async () => {
    const { deliver, id, signals } = await fixtureWithPause()
    const before = comment(`/approve ${id}`, { createdAt: new Date(Date.now() - 3_600_000).toISOString() })
    expect((await deliver("gh", before, github(before))).body).toMatchObject({ code: "checkpoint_stale" })
    const idle = [
      [comment(`> /approve ${id}`), "the comment does not begin with a command"],
      [comment(`\`\`\`\n/approve ${id}\n\`\`\``), "the comment does not begin with a command"],
      [comment(`/approve ${id}`, { action: "edited" }), "only new comments count, not changed or deleted ones"],
      [comment("/approver"), "the comment does not begin with a command"],
      ["{}", "the body is not that of a comment"],
    ] as const
    for (const [payload, reason] of idle)
      expect(await deliver("gh", payload, github(payload))).toMatchObject({
        status: 200,
        body: { status: "ignored", reason },
      })
    expect(signals()).toEqual([])
  })

  it("is the only event of the hook: others are ignored with 200 and the reason, whatever their body", async () => {
    const { deliver, id, signals } = await fixtureWithPause()
    for (const [event, payload] of [
      ["ping", JSON.stringify({ zen: "Keep it logically awesome.", hook_id: 1 })],
      ["push", "payload=%7B%7D"],
      ["pull_request_review_comment", comment(`/approve ${id}`)],
      ["x".repeat(1_000), "{}"],
    ] as const)
      expect(await deliver("gh", payload, { ...github(payload), "x-github-event": event })).toMatchObject({
        status: 200,
        body: { status: "ignored", reason: `this hook handles the event issue_comment, not ${event.slice(0, 60)}` },
      })
    const payload = comment(`/approve ${id}`)
    const { "x-github-event": _, ...unnamed } = github(payload)
    expect((await deliver("gh", payload, unnamed)).body).toMatchObject({ status: "ignored" })
    const forged = { ...github("{}", "wrong"), "x-github-event": "ping" }
    expect((await deliver("gh", "{}", forged)).status).toBe(401)
    expect(signals()).toEqual([])
  })

  it("decides, answers and is refused by a checkpoint, however old it is", async () => {
    const { deliver, id, checkpointId, signals, store } = await fixtureWithPause()
    const createdAt = new Date(Date.now() - 60 * 86_400_000).toISOString()
    const old = comment(`/reject ${checkpointId} call_1`, { createdAt })
    const rejected = await deliver("gh", old, github(old))
    expect([rejected.status, rejected.body]).toMatchObject([202, { task_id: id }])
    expect(signals()).toMatchObject([{ payload: { checkpoint_id: checkpointId, unlisted: "pending" } }])
    const byTask = comment(`/approve ${id}`, { createdAt })
    expect((await deliver("gh", byTask, github(byTask))).body).toMatchObject({ code: "checkpoint_stale" })
    expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({
      action: "webhook-refused",
      detail: { asked: "approve", reason: "too old" },
    })
    const unknown = comment("/approve cp_0123456789abcdef")
    expect((await deliver("gh", unknown, github(unknown))).body).toMatchObject({ code: "checkpoint_not_found" })
  })

  it("answers a question", async () => {
    const fixture = await httpFixture({ config: webhookConfig, env: webhookEnv })
    const id = await fixture.started()
    const { checkpointId } = await fixture.pause(id, { type: "input_required" })
    const payload = comment(`/answer ${checkpointId} Use the other branch.\nThank you.`)
    const sent = await fixture.ask({ method: "POST", url: "/v1/hooks/gh", payload, headers: github(payload) })
    expect(sent.status).toBe(202)
    const [signal] = fixture.temporal.execution(id).signals
    const message = signal?.payload as { id: string }
    expect(await fixture.store.inbox.get(id, message.id)).toMatchObject({ text: "Use the other branch." })
  })

  it("gets a message if the call or the task does not exist", async () => {
    const { deliver, id } = await fixtureWithPause()
    for (const [text, code] of [
      [`/approve ${id} call_9`, "call_not_found"],
      ["/approve nobody", "session_not_found"],
    ] as const) {
      const payload = comment(text)
      expect((await deliver("gh", payload, github(payload))).body).toMatchObject({ code })
    }
  })
})

it.each(["gh", "ci", "chat"] as const)(
  "an approval of all by the hook %s names the calls that it leaves pending",
  async (name) => {
    const calls = [
      { id: "docs", name: "Write", arguments: { file_path: "docs.md" } },
      { id: "hook", name: "Write", arguments: { file_path: ".git/hooks/pre-commit" }, isProtected: true },
    ]
    const { deliver, id, checkpointId, signals, store } = await fixtureWithPause({ calls })
    const bodies = {
      gh: comment(`/approve ${id}`),
      ci: JSON.stringify({ action: "approve", task_id: id, call_ids: "all" }),
      chat: slackBody({ task_id: id, checkpoint_id: checkpointId, call_ids: "all", action: "approve" }),
    }
    const headers = { gh: github(bodies.gh), ci: standard(bodies.ci), chat: slack(bodies.chat) }
    const { body } = await deliver(name, bodies[name], headers[name])
    expect(body).toMatchObject({ status: "accepted", protected_pending: ["hook"] })
    expect(signals()).toMatchObject([{ payload: { all: { action: "accept" }, unlisted: "pending" } }])
    expect((await store.audit.list({ sessionId: id })).flatMap(({ detail }) => detail["decisions"] ?? [])).toEqual([
      { docs: "accept" },
    ])
    expect((await deliver(name, bodies[name], headers[name])).body).toEqual(body)
  },
)

describe("a Slack button", () => {
  it("decides the checkpoint that it was created for", async () => {
    const { deliver, id, checkpointId, signals } = await fixtureWithPause()
    const payload = slackBody({ task_id: id, checkpoint_id: checkpointId, call_ids: "all", action: "approve" })
    const pressed = await deliver("chat", payload, slack(payload))
    expect([pressed.status, pressed.body.status]).toEqual([200, "accepted"])
    expect(signals()).toMatchObject([
      { payload: { all: { action: "accept" }, checkpoint_id: checkpointId, by: "U123" } },
    ])
    const stale = slackBody({ task_id: id, checkpoint_id: "cp_old", call_ids: "all", action: "approve" })
    expect((await deliver("chat", stale, slack(stale))).body).toMatchObject({ code: "checkpoint_stale" })
  })

  it("is rejected if it is old, forged or pressed by another user", async () => {
    const { deliver, id, signals } = await fixtureWithPause()
    const payload = slackBody({ task_id: id, action: "approve" })
    expect((await deliver("chat", payload, slack(payload, Date.now() - 301_000))).status).toBe(401)
    expect((await deliver("chat", payload, slack(payload, Date.now() + 400_000))).status).toBe(401)
    expect((await deliver("chat", `${payload}&x=1`, slack(payload))).status).toBe(401)
    const other = slackBody({ task_id: id, action: "approve" }, "U999")
    expect((await deliver("chat", other, slack(other))).status).toBe(403)
    expect(signals()).toEqual([])
  })

  it("answers the challenge that Slack uses to verify the URL", async () => {
    const { deliver } = await fixtureWithPause()
    const payload = JSON.stringify({ type: "url_verification", challenge: "abc" })
    expect((await deliver("chat", payload, slack(payload))).body).toMatchObject({ challenge: "abc" })
  })
})

describe("a standard webhook", () => {
  it("approves, rejects and steers in the name of the hook", async () => {
    const { deliver, id, checkpointId, signals, store } = await fixtureWithPause()
    const approve = JSON.stringify({
      action: "approve",
      task_id: id,
      checkpoint_id: checkpointId,
      call_ids: ["call_2"],
    })
    expect((await deliver("ci", approve, standard(approve))).status).toBe(202)
    const steer = JSON.stringify({ action: "steer", task_id: id, text: "Use the other branch." })
    expect((await deliver("ci", steer, standard(steer, "msg_2"))).status).toBe(202)
    expect((await deliver("ci", steer, standard(steer, "msg_2"))).status).toBe(202)
    expect(signals()).toMatchObject([
      { name: "decide", payload: { decisions: { call_2: { action: "accept" } }, by: "ci", via: "webhook:ci" } },
      { name: "inbox", payload: { type: "steering" } },
    ])
    const message = signals()[1]?.payload as { id: string }
    expect(await store.inbox.get(id, message.id)).toMatchObject({ text: "Use the other branch." })
  })

  it("rejects a replay that is too old, another body with a used id, and an unknown field", async () => {
    const { deliver, id } = await fixtureWithPause()
    const payload = JSON.stringify({ action: "approve", task_id: id, call_ids: ["call_1"] })
    expect((await deliver("ci", payload, standard(payload, "m", new Date(Date.now() - 400_000)))).status).toBe(401)
    expect((await deliver("ci", payload, standard(payload, "m"))).status).toBe(202)
    const other = JSON.stringify({ action: "reject", task_id: id, call_ids: ["call_1"] })
    expect((await deliver("ci", other, standard(other, "m"))).body).toMatchObject({ code: "idempotency_conflict" })
    const odd = JSON.stringify({ action: "approve", task_id: id, force: true })
    expect((await deliver("ci", odd, standard(odd, "n"))).body).toMatchObject({ code: "invalid_argument" })
    expect((await deliver("ci", "{", standard("{", "o"))).body).toMatchObject({ code: "invalid_json" })
    expect((await deliver("ci", "", {})).status).toBe(401)
  })
})

it("a delivery with JSON nested 200,000 levels deep is refused by every hook", async () => {
  const { ask } = await httpFixture({ config: webhookConfig, env: webhookEnv })
  const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
  const form = new URLSearchParams({ payload: nested.slice(190_000, 210_000) }).toString()
  const requests = [
    ["gh", nested, github(nested)],
    ["ci", nested, standard(nested)],
    ["chat", form, slack(form)],
  ] as const
  for (const [name, payload, headers] of requests) {
    const { status, body } = await ask({ method: "POST", url: `/v1/hooks/${name}`, payload, headers })
    expect([name, status, body.code]).toEqual([name, 400, "invalid_json"])
  }
})

describe("a hook that is not configured", () => {
  it("is not found", async () => {
    const { deliver } = await fixtureWithPause()
    for (const name of ["other", "__proto__", "constructor"])
      expect((await deliver(name, "{}", github("{}"))).body).toMatchObject({ code: "route_not_found" })
  })
})
