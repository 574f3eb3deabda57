import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type KeyCall, planCall } from "../../../../../domain/limits/provider/plan-call.ts"
import {
  afterRefusal,
  type KeyUse,
  type ProviderLimits,
  useAt,
} from "../../../../../domain/limits/provider/provider-limits.ts"

const unused: KeyUse = { requests: 0, tokens: 0, atMs: 0, blockedUntilMs: 0 }
const minuteMs = 60_000

interface Ask {
  readonly atMs: number
  readonly tokens: number
}

interface Started {
  readonly index: number
  readonly atMs: number
}

interface World {
  readonly limits: ProviderLimits
  readonly asks: readonly Ask[]
  readonly takesMs: number
  /** How late the timer of each wait is. */
  readonly lateMs: (index: number) => number
}

/** Lets calls ask, wait as they are told, start and end; returns their starts in order, and how often a call was refused. */
const simulate = ({ limits, asks, takesMs, lateMs }: World) => {
  let use = unused
  const rows = new Map<number, KeyCall>()
  const tickets = new Map<number, number>()
  const started: Started[] = []
  let refusals = 0
  const events = asks.map(({ atMs }, index) => ({ atMs, index, kind: "ask" as "ask" | "end" }))
  while (events.length > 0) {
    events.sort((left, right) => left.atMs - right.atMs || (left.kind === "end" ? -1 : 1))
    const event = events.shift()
    if (event === undefined) break
    const { index, atMs: nowMs, kind } = event
    if (kind === "end") {
      rows.delete(index)
      continue
    }
    const own = rows.get(index)
    const others = [...rows].flatMap(([other, row]) => (other === index ? [] : [row]))
    const tokens = asks[index]?.tokens ?? 0
    const plan = planCall({ limits, use, callMs: takesMs, others, own, tokens, nowMs })
    use = plan.use
    const ticket = tickets.get(index) ?? tickets.size + 1
    tickets.set(index, ticket)
    rows.set(index, { ticket, tokens, isCalling: plan.isStarted, startMs: plan.isStarted ? nowMs : plan.startMs })
    if (plan.isStarted) {
      started.push({ index, atMs: nowMs })
      events.push({ atMs: nowMs + takesMs, index, kind: "end" })
    } else {
      refusals += 1
      events.push({ atMs: nowMs + plan.waitMs + lateMs(index), index, kind: "ask" })
    }
    if (refusals > 100 * asks.length) throw new Error("the calls are refused without end")
  }
  return { started, refusals }
}

const allAtOnce = (count: number, tokens = 0): readonly Ask[] =>
  Array.from({ length: count }, () => ({ atMs: 0, tokens }))
const punctual = () => 0
const mostWithin = (starts: readonly Started[], spanMs: number): number =>
  Math.max(0, ...starts.map(({ atMs }) => starts.filter((one) => one.atMs >= atMs && one.atMs < atMs + spanMs).length))

describe("calls of a key with a limit of requests", () => {
  it("start at once while there is room, and evenly when there is none, in the order in which they asked", () => {
    const { started, refusals } = simulate({
      limits: { requestsPerMinute: 60 },
      asks: allAtOnce(5),
      takesMs: 100,
      lateMs: punctual,
    })
    expect(started.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    expect(started.map(({ atMs }) => Math.round(atMs / 1_000))).toEqual([0, 1, 2, 3, 4])
    // Each is told its time at its first request.
    expect(refusals).toBe(4)
  })

  it("never exceed the limit in any minute, whenever they ask and however late their timers are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 90_000 }), tokens: fc.constant(0) }), { maxLength: 80 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 5 }),
        (requestsPerMinute, asks, delays) => {
          const lateMs = (index: number): number => delays[index % delays.length] ?? 0
          const { started } = simulate({ limits: { requestsPerMinute }, asks, takesMs: 500, lateMs })
          expect(started).toHaveLength(asks.length)
          // Timers may be early by the slack.
          expect(mostWithin(started, minuteMs - 50)).toBeLessThanOrEqual(requestsPerMinute)
        },
      ),
    )
  })

  it("do not let a later call pass one that waits", () => {
    const limits = { requestsPerMinute: 6 }
    const waiting: KeyCall = { ticket: 1, isCalling: false, startMs: 10_000, tokens: 0 }
    const use = { ...unused, requests: 1 }
    const later = { limits, use, callMs: 100, others: [waiting], own: undefined, tokens: 0 }
    expect(planCall({ ...later, nowMs: 9_990 })).toMatchObject({ isStarted: false, startMs: 20_000 })
    const first = { ...later, others: [], own: waiting }
    expect(planCall({ ...first, nowMs: 10_000 })).toMatchObject({ isStarted: true })
  })

  it("start in a gap that makes no other call wait longer", () => {
    const waiting: KeyCall = { ticket: 1, isCalling: false, startMs: 60_000, tokens: 0 }
    const question = { limits: { requestsPerMinute: 6 }, use: unused, callMs: 100, own: undefined, tokens: 0 }
    expect(planCall({ ...question, others: [waiting], nowMs: 1_000 })).toMatchObject({ isStarted: true })
  })

  it("come back within a minute, so that a raised limit or a cancelled call before them shortens their wait", () => {
    const use = { ...unused, requests: 100 }
    const question = { callMs: 100, others: [], own: undefined, tokens: 0, nowMs: 0 }
    expect(planCall({ ...question, use, limits: { requestsPerMinute: 1 } })).toMatchObject({
      isStarted: false,
      startMs: 6_000_000,
      waitMs: minuteMs,
    })
    expect(planCall({ ...question, use, limits: { requestsPerMinute: 6_000 } })).toMatchObject({ isStarted: true })
  })
})

describe("calls of a key with a limit of tokens", () => {
  it("start when the tokens before them are given back, also a call that is larger than the limit", () => {
    const { started } = simulate({
      limits: { tokensPerMinute: 6_000 },
      asks: allAtOnce(3, 12_000),
      takesMs: 100,
      lateMs: punctual,
    })
    expect(started.map(({ atMs }) => Math.round(atMs / minuteMs))).toEqual([0, 2, 4])
  })
})

describe("calls of a key with a limit of concurrent calls", () => {
  it("never run more than that at once, and none waits without end", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 20_000 }), tokens: fc.constant(0) }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 20_000 }),
        (concurrent, asks, takesMs) => {
          const { started } = simulate({ limits: { concurrent }, asks, takesMs, lateMs: (index) => (index * 37) % 400 })
          expect(started).toHaveLength(asks.length)
          for (const { atMs } of started)
            expect(started.filter((one) => one.atMs <= atMs && one.atMs + takesMs > atMs).length).toBeLessThanOrEqual(
              concurrent,
            )
        },
      ),
    )
  })

  it("get a free slot in the order of the queue", () => {
    const calls: readonly KeyCall[] = [
      { ticket: 1, isCalling: true, startMs: 0, tokens: 0 },
      { ticket: 2, isCalling: false, startMs: 1_000, tokens: 0 },
    ]
    const question = { limits: { concurrent: 2 }, use: unused, callMs: 1_000, tokens: 0, nowMs: 900 }
    expect(planCall({ ...question, others: calls, own: undefined })).toMatchObject({ isStarted: false })
    const first = { ...question, others: calls.slice(0, 1), own: { ticket: 2, startMs: 1_000 } }
    expect(planCall(first)).toMatchObject({ isStarted: true })
  })
})

describe("a provider that refuses a call although its limits allow it", () => {
  it("gets no call before the time that it named, and then one after the other", () => {
    const limits = { requestsPerMinute: 600 }
    const use = afterRefusal(useAt(unused, limits, 1_000), limits, 5_000)
    const question = { limits, use, callMs: 100, own: undefined, tokens: 0 }
    expect(planCall({ ...question, others: [], nowMs: 1_000 })).toMatchObject({ isStarted: false, startMs: 5_000 })
    const waiting = { ticket: 1, isCalling: false, startMs: 5_000, tokens: 0 }
    expect(planCall({ ...question, others: [waiting], nowMs: 1_000 })).toMatchObject({ isStarted: false })
    expect(planCall({ ...question, others: [], nowMs: 5_000 })).toMatchObject({ isStarted: true })
  })
})
