import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  emptyLane,
  grantSlots,
  isLaneIdle,
  type LanePlace,
  type LaneQueue,
  maxQueued,
  releasePlace,
  requestSlot,
} from "../../../../domain/lane/lane-queue.ts"

const place = (name: string, turn = 1): LanePlace => ({ workflowId: name, runId: `run-${name}`, turn })

interface Over {
  readonly turn?: number
  readonly resumes?: boolean
  readonly capacity?: number
  readonly ticket?: number
}

const request = (lane: LaneQueue, name: string, over: Over = {}) =>
  requestSlot(lane, {
    ...place(name, over.turn ?? 1),
    ticket: over.ticket ?? 0,
    resumes: over.resumes ?? false,
    capacity: over.capacity ?? (lane.capacity === 0 ? 1 : lane.capacity),
  }).lane

const granted = (lane: LaneQueue): LaneQueue => grantSlots(lane).lane
const names = (places: readonly { readonly workflowId: string }[]) => places.map(({ workflowId }) => workflowId)
const withAll = (...all: readonly string[]): LaneQueue =>
  all.reduce((lane, name) => request(lane, name), { ...emptyLane, capacity: 1 })

describe("the lane's queue", () => {
  it("gives free slots to the first sessions, and keeps the order of the others", () => {
    const result = grantSlots({ ...withAll("a", "b", "c"), capacity: 2 })
    expect(names(result.granted)).toEqual(["a", "b"])
    expect(names(result.lane.queued)).toEqual(["c"])
  })

  it("grants the lowest ticket first, whatever the order of arrival", () => {
    let lane = request({ ...emptyLane, capacity: 1 }, "third", { ticket: 3 })
    lane = request(lane, "first", { ticket: 1 })
    lane = request(lane, "fourth", { ticket: 4 })
    lane = request(lane, "second", { ticket: 2 })
    lane = request(lane, "resumed", { ticket: 9, resumes: true })
    lane = request(lane, "resumed earlier", { ticket: 8, resumes: true })
    expect(names(lane.queued)).toEqual(["resumed earlier", "resumed", "first", "second", "third", "fourth"])
  })

  it("grants no more at once than it is told to", () => {
    const result = grantSlots({ ...withAll("a", "b", "c"), capacity: 3 }, 2)
    expect(names(result.granted)).toEqual(["a", "b"])
    expect(names(grantSlots(result.lane, 2).granted)).toEqual(["c"])
  })

  it("names the slot that an execution held before it was reset", () => {
    const lane = granted(request(emptyLane, "a", { turn: 3 }))
    const earlier = requestSlot(lane, { ...place("a", 2), resumes: false, capacity: 1, ticket: 0 })
    expect(earlier).toEqual({ lane, isHeld: false, heldLater: place("a", 3) })
  })

  it("queues runs that resume before runs that start and behind other runs that resume", () => {
    let lane = withAll("a", "b")
    lane = request(lane, "r1", { resumes: true })
    lane = request(lane, "c")
    lane = request(lane, "r2", { resumes: true })
    expect(names(lane.queued)).toEqual(["r1", "r2", "a", "b", "c"])
  })

  it("keeps the position of a session that asks again, and confirms a slot to its holder", () => {
    const lane = withAll("a", "b")
    expect(names(request(lane, "a").queued)).toEqual(["a", "b"])
    expect(requestSlot(granted(lane), { ...place("a"), resumes: false, capacity: 1, ticket: 0 }).isHeld).toBe(true)
  })

  it("forgets an earlier execution of the same session", () => {
    const lane = granted(withAll("a"))
    const next = requestSlot(lane, {
      workflowId: "a",
      runId: "another",
      turn: 1,
      resumes: false,
      capacity: 1,
      ticket: 0,
    }).lane
    expect(next.holders).toEqual([])
    expect(next.queued).toMatchObject([{ workflowId: "a", runId: "another" }])
  })

  it("ignores a request that a later one has overtaken, and a release of an earlier turn", () => {
    const lane = granted(request(emptyLane, "a", { turn: 3 }))
    expect(request(lane, "a", { turn: 2 })).toEqual(lane)
    expect(releasePlace(lane, place("a", 2))).toEqual(lane)
    expect(isLaneIdle(releasePlace(lane, place("a", 4)))).toBe(true)
  })

  it("applies the latest capacity without taking slots away", () => {
    const full = granted({ ...withAll("a", "b", "c"), capacity: 3 })
    const smaller = granted(request(full, "d", { capacity: 1 }))
    expect(names(smaller.holders)).toEqual(["a", "b", "c"])
    expect(names(smaller.queued)).toEqual(["d"])
    expect(names(granted(request(smaller, "e", { capacity: 0 })).holders)).toEqual(["a", "b", "c", "d", "e"])
  })

  it("rejects more requests than it can store", () => {
    const queued = Array.from({ length: maxQueued }, (_, index) => ({
      ...place(`q${index}`),
      resumes: false,
      ticket: index,
    }))
    const full = { capacity: 1, holders: [place("h")], queued }
    expect(names(request(full, "late").queued)).not.toContain("late")
  })
})

type Action =
  | { readonly do: "ask"; readonly who: number; readonly resumes: boolean }
  | { readonly do: "again"; readonly who: number }
  | { readonly do: "leave"; readonly who: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant("ask" as const), who: fc.nat(9), resumes: fc.boolean() }),
  fc.record({ do: fc.constant("again" as const), who: fc.nat(9) }),
  fc.record({ do: fc.constant("leave" as const), who: fc.nat(9) }),
)

interface Asker {
  turn: number
  resumes: boolean
  order: number
}

describe("the lane, for any sequence of requests, repetitions and releases", () => {
  it("never has more holders than slots, serves resuming and then starting sessions in order, and loses none", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(action, { maxLength: 120 }), (capacity, actions) => {
        let lane: LaneQueue = emptyLane
        const waiting = new Map<number, Asker>()
        const holding = new Map<number, Asker>()
        const turns = new Map<number, number>()
        const ask = (who: number, { turn, resumes, order }: Asker) => {
          lane = requestSlot(lane, { ...place(String(who), turn), resumes, capacity, ticket: order }).lane
        }
        for (const [order, step] of actions.entries()) {
          const known = waiting.get(step.who) ?? holding.get(step.who)
          if (step.do === "ask" && known === undefined) {
            const turn = (turns.get(step.who) ?? 0) + 1
            turns.set(step.who, turn)
            const asker = { turn, resumes: step.resumes, order }
            waiting.set(step.who, asker)
            ask(step.who, asker)
          } else if (step.do === "again" && known !== undefined) ask(step.who, known)
          else if (step.do === "leave" && known !== undefined) {
            lane = releasePlace(lane, place(String(step.who), known.turn))
            waiting.delete(step.who)
            holding.delete(step.who)
          }
          const result = grantSlots(lane)
          lane = result.lane
          for (const { workflowId } of result.granted) {
            const who = Number(workflowId)
            const next = [...waiting].toSorted(
              ([, a], [, b]) => Number(b.resumes) - Number(a.resumes) || a.order - b.order,
            )[0]
            expect(next?.[0]).toBe(who)
            const asker = waiting.get(who)
            waiting.delete(who)
            if (asker !== undefined) holding.set(who, asker)
          }
          expect(lane.holders.length).toBeLessThanOrEqual(capacity)
          expect(new Set(names(lane.holders))).toEqual(new Set([...holding.keys()].map(String)))
          expect(new Set(names(lane.queued))).toEqual(new Set([...waiting.keys()].map(String)))
          expect(lane.queued.length === 0 || lane.holders.length === capacity).toBe(true)
        }
        for (const [who, { turn }] of [...holding, ...waiting]) lane = releasePlace(lane, place(String(who), turn))
        expect(isLaneIdle(lane)).toBe(true)
      }),
    )
  })
})
