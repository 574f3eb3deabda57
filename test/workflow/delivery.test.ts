import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { outboundWebhookSchema } from "../../contracts/http/outbound-webhook.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../helpers/models/fake-model.ts"
import { receiverSecret, startReceiver } from "../helpers/http/webhook-receiver.ts"
import { wrapStore } from "../helpers/store/wrap-store.ts"
import { type Harness, type HarnessOptions, openHarness, replayHistories } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }
const quick = { deliveryInitialMs: 10, deliveryMaxMs: 40, deliveryTimeoutMs: 30_000, deliveryAttempts: 20 }

const webhooks = (...urls: readonly string[]): ConfigInput["webhooks"] =>
  urls.map((url) => ({ url, secretEnv: "HOOK_SECRET" }))

const open = async (options: Partial<HarnessOptions> & { readonly config: ConfigInput }): Promise<Harness> => {
  harness = await openHarness({
    model: createFakeTurns({ text: "All good." }),
    env: { HOOK_SECRET: receiverSecret },
    ...options,
    config: { ...options.config, timing: { ...quick, ...options.config.timing } },
  })
  return harness
}

const deliveries = async () => (await harness.client.deliveries.list()).items
const untilAll = (status: string) =>
  eventually(async () => {
    const items = await deliveries()
    return items.length > 0 && items.every((item) => item.status === status)
  })

const replayDeliveries = async () => {
  const ids = (await deliveries()).map(({ id }) => deliveryWorkflowId(id))
  await replayHistories(harness.temporal, ids)
}

afterEach(() => harness.close())

describe("the announcement of a run's end", () => {
  it("reaches every webhook once, signed, with the result", async () => {
    const [first, second] = [await startReceiver(), await startReceiver()]
    const { client, start } = await open({ config: { webhooks: webhooks(first.url, second.url) } })
    const id = await start({ title: "Count it" })
    await untilAll("delivered")
    for (const { requests, countForged } of [first, second]) {
      expect(requests).toHaveLength(1)
      expect(countForged()).toBe(0)
      const body = outboundWebhookSchema.parse(requests[0]?.body)
      expect(body).toMatchObject({
        type: "run-finished",
        session: { id, title: "Count it", status: "completed" },
        result: { status: "completed", stop_reason: "completed", final_message: "All good.", error: null },
      })
      expect(body.pause).toBeUndefined()
    }
    expect((await client.info(id)).status).toBe("completed")
    await replayDeliveries()
  })

  it("is not sent if no webhook is configured for it, after a cancel, and if the agent asks for silence", async () => {
    const receiver = await startReceiver()
    const { client, start } = await open({
      model: createFakeModel(async (request) => {
        const [user] = request.messages
        if (user?.role === "user" && user.text === "hang")
          await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
        return { text: "NO_REPLY" }
      }),
      config: { webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }] },
    })
    const silent = await start()
    const hangs = await start({ prompt: "hang" })
    await client.wait(silent)
    await eventually(async () => (await client.info(hangs)).status === "running")
    await client.cancel(hangs, actor)
    await client.wait(hangs)
    expect(receiver.requests.map(({ body }) => body.result)).toEqual([])
    expect(await deliveries()).toEqual([])
  })

  it("is retried until a receiver that was down for a while accepts it", async () => {
    const receiver = await startReceiver((count) => (count < 6 ? 500 : 200))
    const { client, start } = await open({ config: { webhooks: webhooks(receiver.url) } })
    const id = await start()
    // The run has ended, whatever happens to its announcement.
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    await untilAll("delivered")
    expect(new Set(receiver.requests.map((request) => request.id)).size).toBe(1)
    expect(receiver.requests).toHaveLength(6)
    expect(receiver.effects).toHaveLength(1)
    expect(await deliveries()).toMatchObject([{ attempts: 6, last_error: null, status: "delivered" }])
    await replayDeliveries()
  })

  it("has one effect at a receiver that processes it but does not answer in time", async () => {
    const receiver = await startReceiver((count) => (count === 1 ? "silence" : 200))
    const { start } = await open({ config: { webhooks: webhooks(receiver.url), timing: { deliveryTimeoutMs: 300 } } })
    await start()
    await untilAll("delivered")
    expect(receiver.requests.length).toBeGreaterThan(1)
    expect(receiver.effects).toHaveLength(1)
  })

  it("has one effect if the sender dies between sending and recording", async () => {
    const receiver = await startReceiver()
    let died = 0
    const { start } = await open({
      config: { webhooks: webhooks(receiver.url) },
      workerStore: (store) =>
        wrapStore(store, async (method, args, call) => {
          if (method !== "deliveries.patch" || !JSON.stringify(args).includes('"delivered"')) return await call()
          died += 1
          if (died === 1) throw new Error("the worker died")
          return await call()
        }),
    })
    await start()
    await untilAll("delivered")
    expect(receiver.requests).toHaveLength(2)
    expect(receiver.effects).toHaveLength(1)
  })

  it("uses up no try of the receiver if a worker goes away before it sends", async () => {
    const receiver = await startReceiver()
    let lost = 0
    const { start } = await open({
      config: { webhooks: webhooks(receiver.url), timing: { deliveryAttempts: 1 } },
      workerStore: (store) =>
        wrapStore(store, async (method, args, call) => {
          if (method !== "deliveries.patch" || !JSON.stringify(args).includes('"attempts"')) return await call()
          lost += 1
          if (lost < 3) throw new Error("the worker died")
          return await call()
        }),
    })
    await start()
    await untilAll("delivered")
    expect(receiver.requests).toHaveLength(1)
  })

  it("fails at once if the receiver is gone permanently, keeps the result, and can be retried", async () => {
    let isBack = false
    const receiver = await startReceiver(() => (isBack ? 200 : 410))
    const { client, start } = await open({ config: { webhooks: webhooks(receiver.url) } })
    const id = await start()
    await untilAll("failed")
    const [failed] = await deliveries()
    expect(failed).toMatchObject({ attempts: 1, last_error: "the receiver answered 410", session_id: id })
    expect((await client.info(id)).final_message).toBe("All good.")
    isBack = true
    await eventually(async () => {
      await client.deliveries.retry(failed?.id ?? "", actor)
      return (await deliveries())[0]?.status === "delivered"
    })
    expect(receiver.effects).toHaveLength(1)
    expect(receiver.effects[0]?.id).toBe(failed?.id)
    expect((await client.audit({ sessionId: id })).items.map(({ action }) => action)).toContain("delivery-retry")
  })

  it("fails after the configured number of attempts, and can be dismissed", async () => {
    const receiver = await startReceiver(() => 503)
    const { client, start } = await open({
      config: { webhooks: webhooks(receiver.url), timing: { deliveryAttempts: 3 } },
    })
    await start()
    await untilAll("failed")
    expect(receiver.requests).toHaveLength(3)
    const [failed] = await deliveries()
    expect(await client.deliveries.dismiss(failed?.id ?? "", actor)).toMatchObject({ status: "dismissed", attempts: 3 })
    await expect(client.deliveries.dismiss("dlv_none", actor)).rejects.toMatchObject({ code: "delivery_not_found" })
  })

  it("does not follow a redirect", async () => {
    const inner = await startReceiver()
    const receiver = await startReceiver(() => ({ status: 307, headers: { location: inner.url } }))
    const { start } = await open({ config: { webhooks: webhooks(receiver.url) } })
    await start()
    await untilAll("failed")
    expect(inner.requests).toEqual([])
  })

  it("waits as long as the receiver asks, can be retried sooner, and can be dismissed meanwhile", async () => {
    const receiver = await startReceiver((count) =>
      count < 3 ? { status: 429, headers: { "retry-after": "3600" } } : 429,
    )
    const { client, start, temporal } = await open({ config: { webhooks: webhooks(receiver.url) } })
    await start()
    await eventually(async () => (await deliveries())[0]?.next_try_at !== null && receiver.requests.length === 1)
    const [waits] = await deliveries()
    const id = waits?.id ?? ""
    const waitsUntil = Date.parse(waits?.next_try_at ?? "")
    expect(waitsUntil - Date.parse(waits?.updated_at ?? "")).toBeGreaterThan(3_500_000)
    await eventually(async () => {
      await client.deliveries.retry(id, actor)
      return receiver.requests.length >= 2
    })
    await client.deliveries.dismiss(id, actor)
    const execution = temporal.workflow.getHandle(deliveryWorkflowId(id))
    await eventually(async () => (await execution.describe()).status.name !== "RUNNING")
    expect(await deliveries()).toMatchObject([{ status: "dismissed" }])
    expect(receiver.effects).toEqual([])
  })

  it("waits again after a try that was asked for", async () => {
    const receiver = await startReceiver(() => ({ status: 429, headers: { "retry-after": "3600" } }))
    const { client, start, temporal } = await open({ config: { webhooks: webhooks(receiver.url) } })
    await start()
    await eventually(async () => (await deliveries())[0]?.next_try_at !== null && receiver.requests.length === 1)
    const id = (await deliveries())[0]?.id ?? ""
    await client.deliveries.retry(id, actor)
    const waits = async (): Promise<number> => {
      const { events } = await temporal.workflow.getHandle(deliveryWorkflowId(id)).fetchHistory()
      const started = events?.filter((event) => event.timerStartedEventAttributes).length ?? 0
      return started - (events?.filter((event) => event.timerCanceledEventAttributes).length ?? 0)
    }
    await eventually(async () => (await deliveries())[0]?.attempts === 2 && (await waits()) === 1)
    expect(receiver.requests).toHaveLength(2)
    await client.deliveries.dismiss(id, actor)
  })

  it("names the variable of a secret that is not set, and is retried", async () => {
    const receiver = await startReceiver()
    await open({ env: {}, config: { webhooks: webhooks(receiver.url) } })
    await harness.start()
    await eventually(async () => ((await deliveries())[0]?.attempts ?? 0) > 1)
    expect((await deliveries())[0]?.last_error).toContain("HOOK_SECRET is not set")
    await harness.client.deliveries.dismiss((await deliveries())[0]?.id ?? "", actor)
  })

  it("is sent for a root whose execution was terminated", async () => {
    const receiver = await startReceiver()
    const { client, start, handle } = await open({
      model: createFakeTurns({ text: "Which one?" }),
      config: { webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }] },
    })
    const id = await start({ pause_on_approval: true })
    await eventually(async () => (await client.info(id)).status === "paused")
    await handle(id).terminate("by hand")
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "terminated" })
    await untilAll("delivered")
    expect(receiver.effects).toMatchObject([
      { body: { type: "run-finished", result: { status: "failed", stop_reason: "terminated" } } },
    ])
  })
})

describe("the announcement of a pause", () => {
  it("lists what is pending, and its link decides it once", async () => {
    const receiver = await startReceiver()
    const { client, start } = await open({
      model: createFakeTurns(
        { text: "I need a file.", calls: [["Write", { file_path: "a.txt", content: "one" }]] },
        { text: "Written." },
      ),
      config: { webhooks: webhooks(receiver.url), http: { publicUrl: "https://adjutant.example.test/" } },
    })
    const id = await start({ auto_approve: false, title: "Write it" })
    await eventually(() => receiver.effects.length === 1)
    const body = outboundWebhookSchema.parse(receiver.effects[0]?.body)
    expect(body).toMatchObject({
      type: "run-paused",
      session: { id, status: "paused" },
      pause: {
        type: "tool_approval_required",
        message: "I need a file.",
        summary: `Agent general (${id}) "Write it" asks for approval of one call: Write.`,
        pending: [{ name: "Write", arguments: { file_path: "a.txt", content: "one" }, session_id: id }],
        answer_url: null,
      },
    })
    const url = new URL(body.pause?.approve_url ?? "")
    expect(url.origin).toBe("https://adjutant.example.test")
    const token = url.pathname.split("/").at(-1) ?? ""
    await client.decideByLink(token, { action: "accept" })
    await expect(client.decideByLink(token, { action: "accept" })).rejects.toMatchObject({ code: "link_used" })
    await eventually(() => receiver.effects.length === 2)
    expect(receiver.effects[1]?.body).toMatchObject({ type: "run-finished", result: { final_message: "Written." } })
  })

  it("is sent for each pause of a run, to programs and to people", async () => {
    const [webhook, person] = [await startReceiver(), await startReceiver()]
    const write = (file_path: string) => ["Write", { file_path, content: "one" }] as const
    const { client, start } = await open({
      model: createFakeTurns({ calls: [write("a.txt")] }, { calls: [write("b.txt")] }, { text: "Written." }),
      config: {
        webhooks: webhooks(webhook.url),
        notify: { phone: { type: "ntfy", url: new URL("/approvals", person.url).href } },
        notifyOn: { approval: ["phone"] },
      },
    })
    const id = await start({ auto_approve: false })
    for (let pause = 1; pause <= 2; pause += 1) {
      await eventually(() => webhook.effects.length === pause)
      const { pause: announced } = outboundWebhookSchema.parse(webhook.effects.at(-1)?.body)
      const checkpointId = (await client.info(id)).checkpoint_id ?? ""
      expect(announced?.checkpoint_id).toBe(checkpointId)
      await client.decide({ sessionId: id, checkpointId, all: { action: "accept" }, unlisted: "pending", actor })
    }
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect((await deliveries()).filter(({ kind }) => kind === "destination")).toHaveLength(2)
  })

  it("is sent for children too, whose ends only the root's announcement reports", async () => {
    const receiver = await startReceiver()
    const { client, start } = await open({
      model: createFakeModel((request, turn) => {
        const [first] = request.messages
        const isParent = first?.role === "user" && first.text === "PARENT"
        if (isParent)
          return turn === 1
            ? { calls: [["dynamic_subagent_task", { description: "d", instructions: "CHILD", tools: ["Write"] }]] }
            : { text: "The tree is done." }
        return turn === 1 ? { calls: [["Write", { file_path: "b.txt", content: "two" }]] } : { text: "Child done." }
      }),
      config: { webhooks: webhooks(receiver.url), agents: { general: { type: "llm", delegation: "tasks" } } },
    })
    const id = await start({ prompt: "PARENT" })
    await eventually(() => receiver.effects.length === 1)
    const { session, pause } = outboundWebhookSchema.parse(receiver.effects[0]?.body)
    expect(session).toMatchObject({ parent_session_id: id })
    await client.decide({
      sessionId: session.id,
      checkpointId: pause?.checkpoint_id ?? "",
      all: { action: "accept" },
      unlisted: "pending",
      actor,
    })
    await eventually(() => receiver.effects.length === 2)
    expect(receiver.effects.map(({ body }) => [body.type, body.session.id])).toEqual([
      ["run-paused", session.id],
      ["run-finished", id],
    ])
  })
})

describe("too many undelivered announcements", () => {
  it("stop new work until they are delivered or dismissed", async () => {
    const receiver = await startReceiver(() => ({ status: 503, headers: { "retry-after": "3600" } }))
    const { client, start } = await open({
      config: { webhooks: webhooks(receiver.url), delivery: { warnAbove: 0, refuseAbove: 1 } },
    })
    const ids = [await start(), await start()]
    for (const id of ids) await client.wait(id)
    await eventually(() => receiver.requests.length === 2)
    await expect(start()).rejects.toMatchObject({ code: "rate_limited" })
    for (const { id } of await deliveries()) await client.deliveries.dismiss(id, actor)
    await start()
  })
})
