import { describe, expect, it } from "vitest"
import type { IdempotencyClaim } from "../../../../store/store.ts"
import { createStoreLocation, testEachDatabase, openTestStore } from "../store-fixture.ts"

const claim = (change: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  scope: "ci",
  key: "k1",
  fingerprint: "f1",
  keepMs: 1_000,
  leaseMs: 100,
  ...change,
})

testEachDatabase(() => {
  describe("idempotency keys", () => {
    it("begin once, then replay the answer to the same content and reject another content", async () => {
      const { idempotencyKeys: keys } = await openTestStore()
      expect(await keys.begin(claim())).toMatchObject({ kind: "begun" })
      expect(await keys.begin(claim())).toEqual({ kind: "in-progress" })
      expect(await keys.answerOf(claim())).toBeUndefined()
      await keys.finish(claim(), { status: 202, body: '{"run_id":"r"}' })
      expect(await keys.begin(claim())).toEqual({ kind: "answered", status: 202, body: '{"run_id":"r"}' })
      expect(await keys.begin(claim({ fingerprint: "f2" }))).toEqual({ kind: "conflict" })
      expect(await keys.begin(claim({ scope: "other" }))).toMatchObject({ kind: "begun" })
    })

    it("let one of many processes begin", async () => {
      const place = await createStoreLocation()
      const stores = await Promise.all(Array.from({ length: 4 }, () => openTestStore(place)))
      const states = await Promise.all(stores.map((store) => store.idempotencyKeys.begin(claim())))
      expect(states.filter(({ kind }) => kind === "begun")).toHaveLength(1)
      expect(states.filter(({ kind }) => kind === "in-progress")).toHaveLength(3)
    })

    it("pass the claim of a dead process to the next one, and forget an answer when its time is up", async () => {
      let now = 1_000
      const { idempotencyKeys: keys } = await openTestStore({ now: () => now })
      const first = await keys.begin(claim())
      now += 100
      expect(await keys.begin(claim())).toEqual(first)
      await keys.finish(claim(), { status: 200, body: "" })
      expect(await keys.answerOf(claim())).toEqual({ status: 200, body: "" })
      now += 1_000
      expect(await keys.answerOf(claim())).toBeUndefined()
      expect(await keys.begin(claim({ fingerprint: "f2" }))).toMatchObject({ kind: "begun" })
    })

    it("pass to the next attempt of the same request when this one failed", async () => {
      const { idempotencyKeys: keys } = await openTestStore()
      const first = await keys.begin(claim())
      await keys.suspend(claim())
      expect(await keys.begin(claim({ fingerprint: "f2" }))).toEqual({ kind: "conflict" })
      expect(await keys.begin(claim())).toEqual(first)
      expect(await keys.begin(claim())).toEqual({ kind: "in-progress" })
    })

    it("are free again after a release, which undoes no answer", async () => {
      const { idempotencyKeys: keys } = await openTestStore()
      await keys.begin(claim())
      await keys.release(claim())
      expect(await keys.begin(claim({ fingerprint: "f2" }))).toMatchObject({ kind: "begun" })
      await keys.finish(claim(), { status: 200, body: "done" })
      await keys.release(claim())
      expect(await keys.begin(claim({ fingerprint: "f2" }))).toMatchObject({ kind: "answered" })
    })
  })

  describe("a store's secret", () => {
    it("is created once per name and is the same for every process", async () => {
      const place = await createStoreLocation()
      const stores = await Promise.all([openTestStore(place), openTestStore(place)])
      const [first, second] = await Promise.all(stores.map((store) => store.secret("links")))
      expect(first).toMatch(/^[0-9a-f]{64}$/)
      expect(second).toBe(first)
      expect(await stores[0].secret("other")).not.toBe(first)
    })
  })
})
