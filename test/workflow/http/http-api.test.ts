import { createHmac } from "node:crypto"
import { access } from "node:fs/promises"
import { join } from "node:path"
import { WorkflowNotFoundError } from "@temporalio/client"
import { afterEach, describe, expect, it } from "vitest"
import { outboundWebhookSchema } from "../../../contracts/http/outbound-webhook.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import { readStream } from "../../unit/http/read-stream.ts"

let harness: HttpHarness
const open = async (...options: Parameters<typeof openHttpHarness>): Promise<HttpHarness> =>
  (harness = await openHttpHarness(...options))
afterEach(() => harness.close())

const write = (name: string) => ["Write", { file_path: name, content: name }] as const
const twoWrites = createFakeTurns(
  { text: "May I?", calls: [write("a.txt"), write("b.txt")] },
  { text: "Both written." },
)

const thinksForEver = createFakeModel(
  ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
)

const pausedAt = async (id: string): Promise<{ run_id: string; checkpoint_id: string; ids: readonly string[] }> => {
  await eventually(async () => (await harness.get(`/v1/sessions/${id}`)).body.status === "paused")
  const { body } = await harness.get(`/v1/sessions/${id}/tools/pending`)
  return { ...body, ids: body.pending.map((call: { id: string }) => call.id) }
}
const statusOf = async (id: string): Promise<string> => (await harness.get(`/v1/sessions/${id}`)).body.status
const exists = (name: string) =>
  access(join(harness.cwd, name)).then(
    () => true,
    () => false,
  )

describe("a session over HTTP", () => {
  it("pauses by policy, is decided call by call, and ends; the stream shows every event", async () => {
    const { begin, post, get, url } = await open({ model: twoWrites })
    const id = await begin({ message: "Write two files." })
    const stream = await readStream(`${url}/v1/sessions/${id}/events`)
    const { run_id, checkpoint_id, ids } = await pausedAt(id)
    expect(ids).toEqual(["call_1_1", "call_1_2"])
    expect((await get("/v1/approvals")).body.items).toMatchObject([
      { session_id: id, checkpoint_id, message: "May I?" },
    ])
    const path = `/v1/sessions/${id}/tools/decisions`
    const accept = (...callIds: string[]) => Object.fromEntries(callIds.map((call) => [call, { action: "accept" }]))
    const decide = async (change: object) => {
      const { status, body } = await post(path, { run_id, checkpoint_id, ...change })
      return [status, body.code ?? body.state]
    }
    expect(await decide({ decisions: accept("call_9") })).toEqual([404, "call_not_found"])
    expect(await decide({ run_id: "run_old", decisions: accept("call_1_1") })).toEqual([409, "run_mismatch"])
    expect(await decide({ checkpoint_id: "cp_old", decisions: accept("call_1_1") })).toEqual([409, "checkpoint_stale"])
    expect(await decide({ decisions: accept("call_1_2") })).toEqual([200, "applied"])
    expect(await decide({ decisions: accept("call_1_2") })).toEqual([200, "applied"])
    expect(await decide({ decisions: { call_1_2: { action: "reject" } } })).toEqual([409, "already_decided"])
    expect(await exists("b.txt")).toBe(false)
    expect(await decide({ decisions: { call_1_1: { action: "reject", content: "not a" } } })).toEqual([200, "applied"])
    await eventually(async () => (await statusOf(id)) === "completed")
    expect([await exists("a.txt"), await exists("b.txt")]).toEqual([false, true])
    expect((await get(`/v1/sessions/${id}`)).body).toMatchObject({ final_message: "Both written.", steps_taken: 2 })
    await eventually(() => stream.frames.some(({ event }) => event === "run-finished"))
    expect(stream.frames.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        "run-started",
        "text-delta",
        "tool-calls-proposed",
        "run-paused",
        "decision-recorded",
        "tool-finished",
      ]),
    )
    const ids_ = stream.frames.map((frame) => Number(frame.id))
    expect(ids_).toEqual(ids_.toSorted((left, right) => left - right))
    stream.close()
    const { body: transcript } = await get(`/v1/sessions/${id}/messages`)
    expect(JSON.stringify(transcript)).not.toMatch(/"[a-z]+[A-Z]\w*":/)
    expect(transcript.items[1].message.usage).toHaveProperty("input_tokens")
    expect(transcript.items.map(({ message }: { message: { role: string } }) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ])
  })

  it("is decided once if two approvers contradict each other at the same moment", async () => {
    const { begin, post, store } = await open({ model: twoWrites })
    const id = await begin({ message: "Write." })
    const { run_id, checkpoint_id, ids } = await pausedAt(id)
    const say = (action: string) =>
      post(`/v1/sessions/${id}/tools/decisions`, {
        run_id,
        checkpoint_id,
        decisions: Object.fromEntries(ids.map((call) => [call, { action }])),
      })
    const answers = await Promise.all([say("accept"), say("reject")])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409"])
    await eventually(async () => (await statusOf(id)) === "completed")
    const winner = answers[0]?.status === 200
    expect([await exists("a.txt"), await exists("b.txt")]).toEqual([winner, winner])
    expect((await store.audit.list({ sessionId: id })).map(({ via }) => via)).toContain("http")
  })

  it("runs every allowed tool without approval with auto_approve, and respects the limits of its first message", async () => {
    const { begin, post } = await open({ model: twoWrites })
    const id = await begin({ message: "Write.", auto_approve: true, max_steps: 5, allowed_tools: ["Write"] })
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await exists("a.txt")).toBe(true)
    const more = await post(`/v1/sessions/${id}/messages`, { message: "More.", max_steps: 6 })
    expect([more.status, more.body.code]).toEqual([422, "limit_widened"])
  })

  it.each([
    ["model_not_found", { model: "nobody" }],
    ["tool_not_found", { allowed_tools: ["Nothing"] }],
  ])("refuses a name that is not known with 400 and %s", async (code, wrong) => {
    const { post } = await open({ model: twoWrites })
    const { id } = (await post("/v1/sessions", {})).body
    const refused = await post(`/v1/sessions/${id}/messages`, { message: "Write.", ...wrong })
    expect([refused.status, refused.body.code]).toEqual([400, code])
  })

  it("pauses for input if pause_on_approval is set, and the answer continues the same run", async () => {
    const model = createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "Painted blue." }]] })
    const { begin, post, get } = await open({ model })
    const id = await begin({ message: "Paint.", pause_on_approval: true })
    const { run_id } = await pausedAt(id)
    expect((await get(`/v1/sessions/${id}`)).body.pause_reason).toEqual({ type: "input_required" })
    const answered = await post(`/v1/sessions/${id}/messages`, { message: "Blue.", run_id })
    expect([answered.status, answered.body]).toEqual([202, { run_id, state: "applied", effect: "answered" }])
    await eventually(async () => (await get(`/v1/sessions/${id}`)).body.final_message === "Painted blue.")
  })

  it("is cancelled, and a second cancel changes nothing", async () => {
    const { begin, post } = await open({ model: thinksForEver })
    const id = await begin({ message: "Think without end." })
    await eventually(async () => (await statusOf(id)) === "running")
    for (let times = 0; times < 2; times += 1)
      expect(await post(`/v1/sessions/${id}/cancel`)).toMatchObject({ status: 200, body: { status: "cancelled" } })
  })

  it("is forked from any step with its limits, and both continue independently", async () => {
    const model = createFakeModel((request) => {
      const last = request.messages.at(-1)
      const said = last?.role === "user" ? last.text : ""
      if (said === "Begin.") return { text: "Reading.", calls: [["LS", {}]] }
      return { text: said === "" ? "Read." : `Received: ${said}` }
    })
    const { begin, post, get } = await open({ model })
    const id = await begin({ message: "Begin.", max_steps: 4 })
    await eventually(async () => (await statusOf(id)) === "completed")
    const fork = await post(`/v1/sessions/${id}/fork`, { at_step: 1, message: "Another way." })
    expect(fork.status).toBe(201)
    await eventually(
      async () => (await get(`/v1/sessions/${fork.body.id}`)).body.final_message === "Received: Another way.",
    )
    const roles = (await get(`/v1/sessions/${fork.body.id}/messages`)).body.items.map(
      ({ message }: { message: { role: string } }) => message.role,
    )
    expect(roles).toEqual(["user", "assistant", "tool", "user", "assistant"])
    expect((await get(`/v1/sessions/${id}`)).body.final_message).toBe("Read.")
    const wider = await post(`/v1/sessions/${fork.body.id}/messages`, { message: "x", max_steps: 5 })
    expect(wider.body.code).toBe("limit_widened")
    expect((await post(`/v1/sessions/${id}/fork`, { at_step: 3 })).body.code).toBe("invalid_argument")
  })

  it("is forked while calls are pending, and the fork counts them as not run", async () => {
    const { begin, post, get } = await open({ model: twoWrites })
    const id = await begin({ message: "Write." })
    await pausedAt(id)
    const fork = await post(`/v1/sessions/${id}/fork`, { at_step: 1, message: "Leave it." })
    await eventually(async () => (await get(`/v1/sessions/${fork.body.id}`)).body.status === "completed")
    const outcomes = (await get(`/v1/sessions/${fork.body.id}/messages`)).body.items.flatMap(
      ({ message }: { message: { role: string; outcome?: string } }) =>
        message.role === "tool" ? [message.outcome] : [],
    )
    expect(outcomes).toEqual(["skipped", "skipped"])
    expect(await statusOf(id)).toBe("paused")
    await post(`/v1/sessions/${id}/cancel`)
  })

  it("is deleted while it runs, and leaves nothing in the store", async () => {
    const { begin, get, url, store, handle } = await open({ model: twoWrites })
    const id = await begin({ message: "Write." })
    await pausedAt(id)
    expect((await fetch(`${url}/v1/sessions/${id}`, { method: "DELETE" })).status).toBe(204)
    expect((await get(`/v1/sessions/${id}`)).status).toBe(404)
    expect(await store.messages.read(id, { headSeq: 100 })).toEqual([])
    // The engine accepts the request at once, and executes it when it finds the time.
    const left = await handle(id)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined
        throw error
      })
    expect(["CANCELLED", undefined]).toContain(left?.status.name)
    expect((await store.audit.list({ sessionId: id })).map(({ action }) => action)).toContain("delete")
  })
})

describe("approvals from outside", () => {
  it("by link continue the agent", async () => {
    const { begin, post } = await open({ model: twoWrites })
    const id = await begin({ message: "Write." })
    const { checkpoint_id } = await pausedAt(id)
    const { body } = await post("/v1/approval-links", { checkpoint_id, to: "ana" })
    expect((await fetch(body.url)).status).toBe(200)
    expect(await statusOf(id)).toBe("paused")
    expect(
      (
        await fetch(body.url, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: "action=accept",
        })
      ).status,
    ).toBe(200)
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await exists("a.txt")).toBe(true)
    expect((await fetch(body.url)).status).toBe(409)
  })

  // Links contained the configured port, whatever port the server listened on.
  it("by the link in a webhook, which has the port of the server that listens", async () => {
    const receiver = await startReceiver()
    const { begin, url } = await open({
      model: twoWrites,
      env: { HOOK_SECRET: receiverSecret },
      config: { webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET" }] },
    })
    const id = await begin({ message: "Write." })
    await eventually(() => receiver.effects.length === 1)
    const link = outboundWebhookSchema.parse(receiver.effects[0]?.body).pause?.approve_url ?? ""
    expect(new URL(link).origin).toBe(url)
    const answer = await fetch(link, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: "accept" }),
    })
    expect(answer.status).toBe(200)
    await eventually(async () => (await statusOf(id)) === "completed")
  })

  it("by webhook while no worker runs are applied when one starts", async () => {
    const inbound = { gh: { type: "github" as const, secretEnv: "GH_SECRET", approvers: ["ana"] } }
    const { begin, url, stopWorker, startWorker, store } = await open(
      { model: twoWrites, config: { inbound } },
      { env: { GH_SECRET: "s3cret-of-gh" } },
    )
    const id = await begin({ message: "Write." })
    await pausedAt(id)
    await stopWorker()
    const payload = JSON.stringify({
      action: "created",
      comment: { body: `/approve ${id}`, created_at: new Date().toISOString(), user: { login: "ana" } },
    })
    const headers = {
      "content-type": "application/json",
      "x-github-event": "issue_comment",
      "x-hub-signature-256": `sha256=${createHmac("sha256", "s3cret-of-gh").update(payload).digest("hex")}`,
    }
    const deliver = () => fetch(`${url}/v1/hooks/gh`, { method: "POST", headers, body: payload })
    expect([(await deliver()).status, (await deliver()).status]).toEqual([202, 202])
    await startWorker()
    await eventually(async () => (await statusOf(id)) === "completed")
    expect(await exists("b.txt")).toBe(true)
    expect((await store.audit.list({ sessionId: id })).filter(({ via }) => via === "webhook:gh")).toHaveLength(1)
  })
})

describe("a message", () => {
  it("with one Idempotency-Key is accepted once, however many arrive at once", async () => {
    const { post, get, cwd } = await open({ model: createFakeTurns({ text: "One." }, { text: "Two." }) })
    const created = await post("/v1/sessions", { cwd }, { "idempotency-key": "create" })
    const path = `/v1/sessions/${created.body.id}/messages`
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post(path, { message: "Go." }, { "idempotency-key": "go" })),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.run_id}`)).size).toBe(1)
    await eventually(async () => (await get(`/v1/sessions/${created.body.id}`)).body.final_message === "One.")
    expect((await get(`/v1/sessions/${created.body.id}/messages`)).body.items).toHaveLength(2)
  })
})
