import { expect, it } from "vitest"
import { usageEntry } from "../store/store-fixture.ts"
import { httpFixture } from "./http-fixture.ts"

it("GET /v1/usage sums in groups, and names a group that does not exist", async () => {
  const { ask, started, store } = await httpFixture()
  const sessionId = await started()
  await store.usage.put(usageEntry({ sessionId, costMicroUsd: 1_234_567 }))
  await store.usage.put(usageEntry({ sessionId, step: 2, costMicroUsd: null }))
  const get = (query: string) => ask({ method: "GET", url: `/v1/usage${query}` })
  const total = { calls: 2, unpriced_calls: 1, cost_usd: 1.234567, input_tokens: 20 }
  expect((await get("")).body).toMatchObject({ items: [], total })
  expect((await get("?group_by=model,caller")).body).toMatchObject({
    items: [{ model: "demo", caller: "local", ...total }],
    total,
  })
  expect((await get("?to=2000-01-01&group_by=day")).body).toMatchObject({ items: [], total: { calls: 0, cost_usd: 0 } })
  const wrong = await get("?group_by=team")
  expect(wrong.status).toBe(400)
  expect(wrong.body.error).toMatch(/day/)
})
