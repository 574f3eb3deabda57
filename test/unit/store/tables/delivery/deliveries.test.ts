import { expect, it } from "vitest"
import type { NewDelivery } from "../../../../../store/store.ts"
import { testEachDatabase, storeWithSession } from "../../store-fixture.ts"

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

  it("is removed with the texts of its session", async () => {
    const { deliveries, sessions } = await storeWithSession()
    await deliveries.create(delivery("k1"))
    await sessions.erase("s1")
    expect(await deliveries.get("k1")).toBeUndefined()
    await deliveries.create(delivery("k2"))
    expect(await deliveries.get("k2")).toBeUndefined()
  })
})
