import { describe, expect, it } from "vitest"
import { nextOutage, outageDetailsOf, type ProviderOutage } from "../../../../domain/run/provider-outage.ts"

const timing = { providerRetryInitialMs: 15_000, providerRetryMaxMs: 300_000 }
const failure = { code: "provider_error", reason: "overloaded", needsWorkingKey: false, retryAfterMs: null }
const circumstances = { timing, nowMs: 1_000_000, model: "main", countsWork: true }

/** Returns the waits of a run whose tries fail at once, in seconds, until it gives up or has tried often enough. */
const waitsOf = (change: Partial<Parameters<typeof nextOutage>[2]>, most = 9): readonly number[] => {
  const waits: number[] = []
  let before: ProviderOutage | null = null
  for (let { nowMs } = circumstances; waits.length < most;) {
    const next = nextOutage(before, failure, { ...circumstances, ...change, nowMs })
    if (next === undefined) break
    waits.push((next.nextAtMs - nowMs) / 1_000)
    before = next
    nowMs = next.nextAtMs
  }
  return waits
}

describe("the waits of a run whose provider is unavailable", () => {
  it("double up to their limit, without end", () => {
    expect(waitsOf({})).toEqual([15, 30, 60, 120, 240, 300, 300, 300, 300])
  })

  it("end after the configured time, with a last try", () => {
    expect(waitsOf({ timing: { ...timing, providerPauseSeconds: 50 } })).toEqual([15, 30, 5])
    expect(waitsOf({ timing: { ...timing, providerPauseSeconds: 0 } })).toEqual([])
  })

  it("are as long as the provider asks, up to their limit", () => {
    const waitMs = (retryAfterMs: number) =>
      (nextOutage(null, { ...failure, retryAfterMs }, circumstances)?.nextAtMs ?? 0) - circumstances.nowMs
    expect([waitMs(1_000), waitMs(90_000), waitMs(3_600_000)]).toEqual([15_000, 90_000, 300_000])
  })

  it("count from the first failure", () => {
    const first = nextOutage(null, failure, circumstances)
    const second = nextOutage(first ?? null, failure, { ...circumstances, nowMs: 2_000_000 })
    expect(second).toMatchObject({ sinceMs: 1_000_000, tries: 2 })
  })

  it("count no time in which the machine slept", () => {
    const asked = { ...circumstances, timing: { ...timing, providerPauseSeconds: 600 } }
    const first = nextOutage(null, failure, asked)
    const nowMs = asked.nowMs + 8 * 3_600_000
    expect(nextOutage(first ?? null, failure, { ...asked, nowMs })).toMatchObject({
      tries: 2,
      nextAtMs: nowMs + 30_000,
    })
  })
})

describe("the details of a failed model call", () => {
  it.each([
    [[{ outage: { needsWorkingKey: true, retryAfterMs: 5 } }], { needsWorkingKey: true, retryAfterMs: 5 }],
    [[{ outage: { needsWorkingKey: false, retryAfterMs: null } }], { needsWorkingKey: false, retryAfterMs: null }],
    [[{ other: 1 }], undefined],
    [[], undefined],
    [undefined, undefined],
  ])("%j say %j", (details, outage) => {
    expect(outageDetailsOf(details)).toEqual(outage)
  })
})
