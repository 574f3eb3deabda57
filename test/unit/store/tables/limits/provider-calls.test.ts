import { expect, test } from "vitest"
import type { ProviderLimits } from "../../../../../domain/limits/provider/provider-limits.ts"
import { openStore } from "../../../../../store/open-store.ts"
import type { Store } from "../../../../../store/store.ts"
import { createStoreLocation, newSession, openTestStore, testEachDatabase } from "../../store-fixture.ts"

const start = Date.parse("2026-11-26T09:00:00Z")
const key = '["openai",null,"KEY",null]'
const call = (session: number, step = 1) => ({ sessionId: `s${session}`, runId: `r${session}`, step })
const request = (limits: ProviderLimits, tokens = 0) => ({ key, limits, tokens, leaseMs: 30_000 })
const reserved = { isReserved: true }

const fill = async (store: Store, count: number): Promise<Store> => {
  for (let id = 1; id <= count; id += 1) await store.sessions.create(newSession(`s${id}`))
  return store
}
const open = async (now: () => number): Promise<Store> => fill(await openTestStore({ now }), 5)

testEachDatabase(() => {
  test("a call beyond the limit of requests is told when to ask again, and starts then", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { requestsPerMinute: 6 }
    expect(await store.providerCalls.reserve(call(1), request(limits))).toEqual(reserved)
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual({ isReserved: false, waitMs: 10_000 })
    expect(await store.providerCalls.reserve(call(3), request(limits))).toEqual({ isReserved: false, waitMs: 20_000 })
    now += 10_000
    expect(await store.providerCalls.reserve(call(4), request(limits))).toMatchObject({ isReserved: false })
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual(reserved)
    const other = { ...request(limits), key: "another key" }
    expect(await store.providerCalls.reserve(call(5), other)).toEqual(reserved)
  })

  test("the tokens that a call really used replace those that were expected", async () => {
    const store = await open(() => start)
    const limits = { tokensPerMinute: 6_000 }
    expect(await store.providerCalls.reserve(call(1), request(limits, 6_000))).toEqual(reserved)
    expect(await store.providerCalls.reserve(call(2), request(limits))).toMatchObject({ isReserved: false })
    await store.providerCalls.settle(call(1), { key, limits, tokens: 100 })
    expect(await store.providerCalls.reserve(call(2), request(limits, 1_000))).toEqual(reserved)
    await store.providerCalls.settle(call(2), { key, limits, tokens: 12_000 })
    expect(await store.providerCalls.reserve(call(3), request(limits))).toEqual({ isReserved: false, waitMs: 60_000 })
  })

  test("a call ends its slot when it is settled, when its run ends, or when its worker is silent", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { concurrent: 1 }
    const startsNow = async (session: number) =>
      (await store.providerCalls.reserve(call(session), request(limits))).isReserved
    expect(await startsNow(1)).toBe(true)
    expect(await startsNow(2)).toBe(false)
    await store.providerCalls.settle(call(1), { key, limits, tokens: undefined })
    expect(await startsNow(2)).toBe(true)
    await store.providerCalls.releaseRun({ sessionId: "s2", runId: "r2" })
    expect(await startsNow(3)).toBe(true)
    now += 20_000
    await store.providerCalls.renew(call(3), 30_000)
    now += 20_000
    expect(await startsNow(4)).toBe(false)
    now += 40_000
    expect(await startsNow(4)).toBe(true)
  })

  test("a repeated call of the same step takes its own place again", async () => {
    const store = await open(() => start)
    const limits = { concurrent: 1 }
    expect(await store.providerCalls.reserve(call(1), request(limits))).toEqual(reserved)
    expect(await store.providerCalls.reserve(call(1), request(limits))).toEqual(reserved)
    await store.sessions.erase("s1")
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual(reserved)
  })

  test("a waiting call that does not come back gives up its place", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { requestsPerMinute: 6 }
    await store.providerCalls.reserve(call(1), request(limits))
    await store.providerCalls.reserve(call(2), request(limits))
    now += 60_000
    expect(await store.providerCalls.reserve(call(3), request(limits))).toEqual(reserved)
  })

  test("a limit that was lowered meanwhile applies to those that wait", async () => {
    let now = start
    const store = await open(() => now)
    await store.providerCalls.reserve(call(1), request({ requestsPerMinute: 60 }))
    await store.providerCalls.reserve(call(2), request({ requestsPerMinute: 60 }))
    await store.providerCalls.reserve(call(3), request({ requestsPerMinute: 60 }))
    now += 1_000
    const limits = { requestsPerMinute: 6 }
    const answer = await store.providerCalls.reserve(call(2), request(limits))
    expect(answer).toMatchObject({ isReserved: false, waitMs: 9_000 })
    now += 1_000
    expect(await store.providerCalls.reserve(call(3), request(limits))).toMatchObject({ isReserved: false })
  })

  test("a refusal by the provider stops every call of the key for the time that it named", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { requestsPerMinute: 6_000 }
    await store.providerCalls.reserve(call(1), request(limits))
    await store.providerCalls.settle(call(1), { key, limits, tokens: 0, refusedForMs: 5_000 })
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual({ isReserved: false, waitMs: 5_000 })
    now += 5_000
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual(reserved)
  })

  test("a call that is not made after all leaves its time to the next one", async () => {
    const store = await open(() => start)
    const limits = { requestsPerMinute: 6, tokensPerMinute: 6_000, concurrent: 1 }
    expect(await store.providerCalls.reserve(call(1), request(limits, 6_000))).toEqual(reserved)
    await store.providerCalls.cancel(call(1), { key, limits })
    expect(await store.providerCalls.reserve(call(2), request(limits, 6_000))).toEqual(reserved)
    await store.providerCalls.cancel(call(1), { key, limits })
    expect(await store.providerCalls.reserve(call(3), request(limits))).toMatchObject({ isReserved: false })
  })

  test("a clock that goes back stops no call for the difference", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { requestsPerMinute: 6 }
    await store.providerCalls.reserve(call(1), request(limits))
    await store.providerCalls.settle(call(1), { key, limits, tokens: 0, refusedForMs: 5_000 })
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual({ isReserved: false, waitMs: 10_000 })
    now -= 3_600_000
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual({ isReserved: false, waitMs: 10_000 })
    now += 10_000
    expect(await store.providerCalls.reserve(call(2), request(limits))).toEqual(reserved)
  })

  test("after a clock went back, calls that are not reported again end their slots as usual", async () => {
    let now = start
    const store = await open(() => now)
    const limits = { concurrent: 2 }
    const startsNow = async (session: number) =>
      (await store.providerCalls.reserve(call(session), request(limits))).isReserved
    expect([await startsNow(1), await startsNow(2), await startsNow(3)]).toEqual([true, true, false])
    now -= 3_600_000
    expect([await startsNow(3), await startsNow(4)]).toEqual([false, false])
    now += 70_000
    await store.providerCalls.renew(call(1), 30_000)
    expect([await startsNow(3), await startsNow(4)]).toEqual([false, false])
    now += 10_000
    // The worker of the other one died.
    expect([await startsNow(3), await startsNow(4)]).toEqual([true, false])
  })

  test("processes that ask at once never exceed the limit together", async () => {
    const place = await createStoreLocation()
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ ...place, now: () => start })))
    try {
      const [first] = stores
      if (first === undefined) throw new Error("there is no store")
      await fill(first, 12)
      const limits = { concurrent: 4 }
      const answers = await Promise.all(
        Array.from({ length: 12 }, async (_, index) =>
          stores[index % 3]?.providerCalls.reserve(call(index + 1), request(limits)),
        ),
      )
      expect(answers.filter((answer) => answer?.isReserved === true)).toHaveLength(4)
    } finally {
      for (const store of stores) await store.close()
    }
  })
})
