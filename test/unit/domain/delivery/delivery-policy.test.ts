import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { classifyDeliveryStatus, deliveryDelayMs } from "../../../../domain/delivery/delivery-policy.ts"

const policy = { attempts: 40, initialMs: 5_000, maxMs: 900_000, timeoutMs: 15_000 }

describe("deliveryDelayMs", () => {
  it("doubles up to the longest wait", () => {
    const delays = [1, 2, 3, 8, 9, 40].map((attempt) => deliveryDelayMs(policy, attempt))
    expect(delays).toEqual([5_000, 10_000, 20_000, 640_000, 900_000, 900_000])
  })

  it("adds up to hours with the defaults", () => {
    const total = Array.from({ length: policy.attempts - 1 }, (_, index) => deliveryDelayMs(policy, index + 1))
    expect(total.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(6 * 3_600_000)
  })

  it("respects the wait that the receiver asks for, up to a day, and never shortens its own", () => {
    expect(deliveryDelayMs(policy, 1, 3_600_000)).toBe(3_600_000)
    expect(deliveryDelayMs(policy, 9, 0)).toBe(5_000)
    expect(deliveryDelayMs(policy, 1, Number.MAX_SAFE_INTEGER)).toBe(86_400_000)
  })

  it("is a positive number for every attempt", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.option(fc.nat(), { nil: undefined }), (attempt, asked) => {
        const delay = deliveryDelayMs(policy, attempt, asked)
        expect(Number.isSafeInteger(delay) && delay > 0).toBe(true)
      }),
    )
  })
})

describe("classifyDeliveryStatus", () => {
  it.each([
    [200, "delivered"],
    [204, "delivered"],
    [301, "permanent"],
    [400, "permanent"],
    [401, "permanent"],
    [404, "permanent"],
    [408, "again"],
    [409, "again"],
    [410, "permanent"],
    [425, "again"],
    [429, "again"],
    [500, "again"],
    [503, "again"],
  ] as const)("%i: %s", (status, expected) => expect(classifyDeliveryStatus(status)).toBe(expected))
})
