import { expect, test } from "vitest"
import { storeWithSession, usageEntry, testEachDatabase } from "../store-fixture.ts"

testEachDatabase(() => {
  test("every attempt counts once", async () => {
    const store = await storeWithSession()
    await store.usage.put(usageEntry())
    await store.usage.put(usageEntry())
    await store.usage.put(usageEntry({ fence: 2 }))
    await store.usage.put(usageEntry({ step: 2 }))
    await store.usage.put(usageEntry({ runId: "r2" }))
    const tokens = (times: number) => ({
      inputTokens: 10 * times,
      outputTokens: 5 * times,
      cacheReadTokens: 2 * times,
      cacheWriteTokens: times,
      reasoningTokens: 3 * times,
      costMicroUsd: 100 * times,
    })
    expect(await store.usage.total({ sessionId: "s1" })).toEqual(tokens(4))
    expect(await store.usage.total({ sessionId: "s1", runId: "r1" })).toEqual(tokens(3))
    expect(await store.usage.total({ sessionId: "s1", runId: "r1", step: 1 })).toEqual(tokens(2))
    expect(await store.usage.total({ sessionId: "s1", runId: "none" })).toEqual(tokens(0))
  })

  test("the cost is unknown as soon as one entry's cost is", async () => {
    const store = await storeWithSession()
    await store.usage.put(usageEntry())
    await store.usage.put(usageEntry({ step: 2, costMicroUsd: null }))
    expect(await store.usage.total({ sessionId: "s1" })).toMatchObject({ inputTokens: 20, costMicroUsd: null })
    expect(await store.usage.total({ sessionId: "s1", step: 1 })).toMatchObject({ costMicroUsd: 100 })
  })
})
