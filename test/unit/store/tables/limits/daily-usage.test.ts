import { expect, test } from "vitest"
import { openStore } from "../../../../../store/open-store.ts"
import type { Store } from "../../../../../store/store.ts"
import { createStoreLocation, newSession, openTestStore, testEachDatabase, usageEntry } from "../../store-fixture.ts"

const caps = { microUsd: 1_000, tokens: null }
const call = (step: number, microUsd = 400) => ({ sessionId: "s1", runId: "r1", step, microUsd, tokens: microUsd })
const amounts = (amount: number) => ({ microUsd: amount, tokens: amount })
const morning = Date.parse("2026-11-26T09:00:00Z")
const dayMs = 86_400_000

const open = async (now = () => morning): Promise<Store> => {
  const store = await openTestStore({ now })
  await store.sessions.create(newSession("s1"))
  return store
}

testEachDatabase(() => {
  test("a call is refused if it does not fit into what is neither used nor reserved", async () => {
    const store = await open()
    expect(await store.dailyUsage.reserve(call(1), caps)).toMatchObject({ isReserved: true, approached: [] })
    expect(await store.dailyUsage.reserve(call(2, 601), caps)).toMatchObject({
      isReserved: false,
      exceeded: { unit: "microUsd", cap: 1_000, used: 0, reserved: 400, call: 601 },
    })
    expect(await store.dailyUsage.today()).toMatchObject({ used: amounts(0), reserved: amounts(400) })
  })

  test("a retry of a step replaces its reservation, and a release removes it", async () => {
    const store = await open()
    await store.dailyUsage.reserve(call(1, 700), caps)
    expect(await store.dailyUsage.reserve(call(1, 700), caps)).toMatchObject({ isReserved: true })
    await store.dailyUsage.release(call(1))
    expect(await store.dailyUsage.today()).toMatchObject({ reserved: amounts(0) })
    await store.dailyUsage.reserve(call(2), caps)
    await store.dailyUsage.releaseRun({ sessionId: "s1", runId: "other" })
    expect(await store.dailyUsage.today()).toMatchObject({ reserved: amounts(400) })
    await store.dailyUsage.releaseRun({ sessionId: "s1", runId: "r1" })
    expect(await store.dailyUsage.today()).toMatchObject({ reserved: amounts(0) })
  })

  test("the answer's usage replaces the reservation, once for each attempt", async () => {
    const store = await open()
    await store.dailyUsage.reserve(call(1), caps)
    await store.usage.put(usageEntry())
    await store.usage.put(usageEntry())
    const once = { used: { microUsd: 100, tokens: 18 }, reserved: amounts(0) }
    expect(await store.dailyUsage.today()).toMatchObject(once)
    await store.usage.put(usageEntry({ costMicroUsd: 150 }))
    await store.usage.put(usageEntry({ fence: 2, costMicroUsd: null }))
    expect(await store.dailyUsage.today()).toMatchObject({ used: { microUsd: 150, tokens: 36 } })
  })

  test("a call counts to the day on which it was reserved, and the next day begins at nothing", async () => {
    let now = morning
    const store = await open(() => now)
    await store.dailyUsage.reserve(call(1), caps)
    now += dayMs
    await store.usage.put(usageEntry({ costMicroUsd: 900 }))
    expect(await store.dailyUsage.today()).toMatchObject({ used: amounts(0), reserved: amounts(0) })
    expect(await store.dailyUsage.reserve(call(2, 1_000), caps)).toMatchObject({ isReserved: true })
    now -= dayMs
    expect(await store.dailyUsage.today()).toMatchObject({ used: { microUsd: 900 } })
  })

  test("a warning is given once a day for each limit", async () => {
    let now = morning
    const store = await open(() => now)
    const both = { microUsd: 1_000, tokens: 2_000 }
    const approachedAt = async (step: number, microUsd: number) => {
      const answer = await store.dailyUsage.reserve(call(step, microUsd), both)
      return answer.isReserved ? answer.approached.map(({ unit }) => unit) : "refused"
    }
    expect(await approachedAt(1, 700)).toEqual([])
    expect(await approachedAt(2, 100)).toEqual(["microUsd"])
    expect(await approachedAt(3, 100)).toEqual([])
    expect(await approachedAt(4, 200)).toBe("refused")
    now += dayMs
    expect(await approachedAt(5, 900)).toEqual(["microUsd"])
  })

  test("processes that reserve at once never exceed the limit together", async () => {
    const place = await createStoreLocation()
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ ...place, now: () => morning })))
    try {
      for (const id of [1, 2, 3, 4, 5, 6]) await stores[0]?.sessions.create(newSession(`s${id}`))
      const answers = await Promise.all(
        [1, 2, 3, 4, 5, 6].map(async (id) =>
          stores[id % 3]?.dailyUsage.reserve({ ...call(1, 300), sessionId: `s${id}`, runId: `r${id}` }, caps),
        ),
      )
      expect(answers.filter((answer) => answer?.isReserved === true)).toHaveLength(3)
      expect(await stores[0]?.dailyUsage.today()).toMatchObject({ reserved: amounts(900) })
    } finally {
      for (const store of stores) await store.close()
    }
  })
})
