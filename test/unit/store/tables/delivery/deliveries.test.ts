import { expect, it, onTestFinished, vi } from "vitest"
import type { NewDelivery } from "../../../../../store/store.ts"
import {
  createStoreLocation,
  newSession,
  openTestStore,
  storeWithSession,
  testEachDatabase,
} from "../../store-fixture.ts"

const policy = { attempts: 3, initialMs: 1, maxMs: 10, timeoutMs: 100 }
const delivery = (key: string, change: Partial<NewDelivery> = {}): NewDelivery => ({
  key,
  sessionId: "s1",
  runId: "r1",
  kind: "webhook",
  event: "run-finished",
  url: "https://example.test/hook",
  secretEnv: "HOOK_SECRET",
  body: '{"a":"\\u0000"}',
  policy,
  ...change,
})

testEachDatabase(() => {
  it("keeps the first body of a key", async () => {
    const { deliveries } = await storeWithSession()
    await deliveries.create(delivery("k1"))
    await deliveries.create(delivery("k1", { body: "{}" }))
    expect(await deliveries.get("k1")).toMatchObject({
      ...delivery("k1"),
      status: "pending",
      attempts: 0,
      lastError: null,
      nextTryAt: null,
    })
  })

  it("changes a row only from the states that the caller names", async () => {
    const { deliveries } = await storeWithSession()
    await deliveries.create(delivery("k1"))
    expect(await deliveries.patch("k1", { status: "failed", lastError: "no", attempts: 2 }, ["pending"])).toBe(true)
    expect(await deliveries.patch("k1", { status: "delivered" }, ["pending"])).toBe(false)
    expect(await deliveries.get("k1")).toMatchObject({ status: "failed", lastError: "no", attempts: 2 })
    expect(await deliveries.patch("none", { status: "delivered" }, ["pending"])).toBe(false)
  })

  it("counts pending deliveries and lists those that are overdue", async () => {
    let now = 1_000_000
    const { deliveries } = await storeWithSession({ now: () => now })
    await deliveries.create(delivery("old"))
    await deliveries.create(delivery("waits"))
    await deliveries.patch("waits", { nextTryAt: new Date(now + 60_000).toISOString() }, ["pending"])
    await deliveries.create(delivery("done"))
    await deliveries.patch("done", { status: "delivered" }, ["pending"])
    now += 10_000
    expect(await deliveries.countPending()).toBe(2)
    const overdue = await deliveries.listOverdue(new Date(now).toISOString(), 10)
    expect(overdue.map(({ key }) => key)).toEqual(["old"])
    expect((await deliveries.list({ status: "delivered" })).map(({ key }) => key)).toEqual(["done"])
  })

  it("keeps the order of messages to a thread, whatever the clocks of their workers say", async () => {
    const place = await createStoreLocation()
    const ahead = await openTestStore({ ...place, now: () => 2_000_000 })
    const behind = await openTestStore({ ...place, now: () => 1_000_000 })
    await ahead.sessions.create(newSession("s1"))
    const say = (thread: string) => ({ kind: "channel" as const, body: JSON.stringify({ thread_key: thread }) })
    await ahead.deliveries.create(delivery("said-first", say("t1")))
    await behind.deliveries.create(delivery("elsewhere", say("t2")))
    await behind.deliveries.create(delivery("answer", say("t1")))
    const row = delivery("answer", say("t1"))
    expect(await ahead.deliveries.nextInThread(row)).toEqual({ key: "said-first" })
    await behind.deliveries.patch("said-first", { status: "delivered" }, ["pending"])
    expect(await ahead.deliveries.nextInThread(row)).toEqual({ key: "answer" })
    await behind.deliveries.patch("answer", { status: "failed" }, ["pending"])
    expect(await ahead.deliveries.nextInThread(row)).toBeUndefined()
    expect(await ahead.deliveries.nextInThread(delivery("x", say("t2")))).toEqual({ key: "elsewhere" })
  })

  it("is not read as a webhook if its kind is unknown", async () => {
    const { deliveries } = await storeWithSession()
    await deliveries.create(delivery("k1", { kind: "pager" as "webhook" }))
    await expect(deliveries.get("k1")).rejects.toThrow("pager instead of webhook, channel, destination")
  })

  it("costs the same however many messages of its thread wait: no body but its own is read", async () => {
    const { deliveries } = await storeWithSession()
    const say = (text: string) => ({ kind: "channel" as const, body: JSON.stringify({ thread_key: "t1", text }) })
    for (let index = 0; index < 20; index += 1)
      await deliveries.create(delivery(`waits ${index}`, say(`${index} `.repeat(1_000))))
    const parse = vi.spyOn(JSON, "parse")
    onTestFinished(() => parse.mockRestore())
    const last = delivery("last", say("the last"))
    await deliveries.create(last)
    expect(await deliveries.nextInThread(last)).toEqual({ key: "waits 0" })
    const read = parse.mock.calls.flatMap(([text]) => (text.includes("thread_key") ? [text] : []))
    expect(new Set(read)).toEqual(new Set([last.body]))
  })

  it("is removed with the texts of its session", async () => {
    const { deliveries, sessions } = await storeWithSession()
    await deliveries.create(delivery("k1"))
    await sessions.erase("s1")
    expect(await deliveries.get("k1")).toBeUndefined()
    await deliveries.create(delivery("k2"))
    expect(await deliveries.get("k2")).toBeUndefined()
  })
})
