import { describe, expect, it } from "vitest"
import {
  approachedData,
  approachedLimits,
  dailyCapsOf,
  dateOf,
  dayOf,
  exceededLimit,
  dailyLimitText,
  fitsLater,
} from "../../../../domain/limits/daily-limits.ts"

const use = (used: number, reserved = 0) => ({
  used: { microUsd: used, tokens: used },
  reserved: { microUsd: reserved, tokens: reserved },
})
const call = (amount: number) => ({ microUsd: amount, tokens: amount })
const caps = { microUsd: 5_000_000, tokens: null }

describe("daily limits", () => {
  it("come from the configuration, in millionths of a dollar", () => {
    expect(dailyCapsOf({ limits: { usdPerDay: 0.29 } })).toEqual({ microUsd: 290_000, tokens: null })
    expect(dailyCapsOf({ limits: { tokensPerDay: 7 } })).toEqual({ microUsd: null, tokens: 7 })
  })

  it("count what is used and reserved, and allow a call that fits exactly", () => {
    expect(exceededLimit(caps, use(3_000_000, 1_000_000), call(1_000_000))).toBeUndefined()
    expect(exceededLimit(caps, use(3_000_000, 1_000_000), call(1_000_001))).toMatchObject({ unit: "microUsd" })
    expect(exceededLimit({ microUsd: null, tokens: null }, use(9e9), call(9e9))).toBeUndefined()
    expect(exceededLimit({ microUsd: null, tokens: 10 }, use(5), call(6))).toMatchObject({ unit: "tokens", cap: 10 })
  })

  it("are exceeded for now only where calls that run have reserved the rest", () => {
    const later = exceededLimit(caps, use(3_000_000, 1_500_000), call(1_000_000))
    expect(later && fitsLater(later)).toBe(true)
    const never = exceededLimit(caps, use(4_500_000, 100_000), call(1_000_000))
    expect(never && fitsLater(never)).toBe(false)
    // The limit that it never fits into is the one that counts.
    const both = exceededLimit(
      { microUsd: 10, tokens: 10 },
      { used: { microUsd: 1, tokens: 9 }, reserved: { microUsd: 9, tokens: 0 } },
      call(5),
    )
    expect(both).toMatchObject({ unit: "tokens" })
  })

  it("come near at 80 %", () => {
    expect(approachedLimits(caps, use(3_000_000), call(999_999))).toEqual([])
    expect(approachedLimits(caps, use(3_000_000), call(1_000_000))).toHaveLength(1)
  })

  it("say what is used and how to continue", () => {
    const exceeded = exceededLimit(caps, use(4_610_000, 300_000), call(210_500))
    expect(exceeded && dailyLimitText(exceeded)).toBe(
      "the daily limit of the store does not cover another model call (limits.usdPerDay is $5.00: $4.61 used, $0.30 reserved by calls that run now, and this call can add $0.2105): send a message to continue after 00:00 UTC, or raise the limit and restart the workers",
    )
    const [near] = approachedLimits({ microUsd: null, tokens: 100 }, use(70), call(20))
    expect(near && approachedData(near, 20_783)).toEqual({
      limit: "tokensPerDay",
      day: "2026-11-26",
      cap: 100,
      used: 70,
      reserved: 20,
      message:
        "more than 80 % of a daily limit of the store is used or reserved (limits.tokensPerDay is 100 tokens: 70 tokens used, and this call can add 20 tokens)",
    })
  })

  it("change at midnight in UTC", () => {
    const midnight = Date.parse("2026-11-27T00:00:00Z")
    expect([dayOf(midnight - 1), dayOf(midnight)].map(dateOf)).toEqual(["2026-11-26", "2026-11-27"])
  })
})
