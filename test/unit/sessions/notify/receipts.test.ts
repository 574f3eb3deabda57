import { expect, it, vi } from "vitest"
import { keepReached, keepReceipt, reachedOf, receiptOf } from "../../../../sessions/notify/receipts.ts"
import { openTestStore } from "../../store/store-fixture.ts"

it("a receipt is what the service said first, and reading one writes nothing", async () => {
  const store = await openTestStore()
  const begin = vi.spyOn(store.idempotencyKeys, "begin")
  expect(await receiptOf(store, "one")).toBeUndefined()
  expect(begin).not.toHaveBeenCalled()
  await keepReceipt(store, "one", "ts-1")
  await keepReceipt(store, "one", "ts-2")
  begin.mockClear()
  expect(await receiptOf(store, "one")).toBe("ts-1")
  expect(await receiptOf(store, "two")).toBeUndefined()
  expect(begin).not.toHaveBeenCalled()
})

it("the readers that have a message are those that were kept", async () => {
  const store = await openTestStore()
  await keepReached(store, "one", ["a@example.com", "b@example.com"])
  expect(await reachedOf(store, "one", ["b@example.com", "c@example.com"])).toEqual(["b@example.com"])
})
