import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { createStreamedEvents } from "../../../activities/streamed-events.ts"
import type { NewEvent, Store, WritableStore } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { newSession, storeWithSession } from "../store/store-fixture.ts"

const textDeltaOf = (text: string, seq = 1): NewEvent => ({
  type: "text-delta",
  runId: "r1",
  data: { seq, attempt: 1, text },
})
const progress = (call_id: string, done: number): NewEvent => ({
  type: "tool-progressed",
  runId: "r1",
  data: { call_id, name: "Peek", progress: done },
})

const stepStarted = (ordinal: number): NewEvent => ({ type: "step-started", runId: "r1", ordinal, data: {} })

/** A store whose transactions wait for the test. */
const heldStore = () => {
  const written: (readonly [string, readonly NewEvent[]])[] = []
  const waiting: (() => void)[] = []
  let atOnce = 0
  let mostAtOnce = 0
  const append = async (sessionId: string, events: readonly NewEvent[]) => written.push([sessionId, events])
  const transaction = async (body: (writes: WritableStore) => Promise<unknown>) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    await new Promise<void>((resolve) => waiting.push(resolve))
    const lockFree = async (ids: readonly string[]) => ({ locked: ids, held: [] })
    const result = await body({ events: { append, lockFree } } as unknown as WritableStore)
    atOnce -= 1
    return result
  }
  return {
    store: { transaction } as unknown as Pick<Store, "transaction">,
    written,
    waiting,
    mostAtOnce: () => mostAtOnce,
    pass: () => waiting.shift()?.(),
  }
}

const shownTexts = (written: readonly (readonly [string, readonly NewEvent[]])[], id: string): readonly unknown[] =>
  written.flatMap(([sessionId, events]) => (sessionId === id ? events.map(({ data }) => data["text"]) : []))

const unexpected = (error: unknown): never => {
  throw error
}

describe("streamed events", () => {
  it("are written in order, and are in the log when the flush resolves", async () => {
    const store = await storeWithSession()
    const streamed = createStreamedEvents(store, unexpected)
    for (const text of ["one ", "two ", "three"]) streamed.add("s1", textDeltaOf(text))
    streamed.add("s1", progress("c1", 1))
    streamed.add("s1", progress("c2", 1))
    streamed.add("s1", progress("c2", 2))
    await streamed.flush("s1")
    const { events } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events.map((event) => [event.type, event["text"] ?? event["progress"]])).toEqual([
      ["text-delta", "one two three"],
      ["tool-progressed", 1],
      ["tool-progressed", 2],
    ])
  })

  it("of a hundred sessions take one transaction at a time, and merge while the store is slow", async () => {
    const held = heldStore()
    const streamed = createStreamedEvents(held.store, unexpected)
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`)
    for (const id of ids) streamed.add(id, textDeltaOf("a"))
    await eventually(() => held.waiting.length === 1)
    for (let round = 0; round < 50; round += 1) for (const id of ids) streamed.add(id, textDeltaOf("b"))
    const flushed = Promise.all(ids.map((id) => streamed.flush(id)))
    await eventually(() => {
      held.pass()
      return held.written.length >= 120
    })
    await flushed
    expect(held.mostAtOnce()).toBe(1)
    for (const id of ids) expect(shownTexts(held.written, id).join("")).toBe(`a${"b".repeat(50)}`)
    // Five transactions of 20 sessions, and another one for those that the first transaction had taken.
    expect(held.written).toHaveLength(120)
  })

  it("of a hundred streams let records through while the store is slow and the streams continue", async () => {
    const store = await storeWithSession()
    const ids = Array.from({ length: 100 }, (_, index) => `stream${index}`)
    for (const id of ids) await store.sessions.create(newSession(id))
    let streamWrites = 0
    const transaction: Store["transaction"] = async (body, outlasts) => {
      streamWrites += 1
      await sleep(20)
      return await store.transaction(body, outlasts)
    }
    const streamed = createStreamedEvents({ transaction }, unexpected)
    let pieces = 0
    const streams = setInterval(() => {
      pieces += 1
      for (const id of ids) streamed.add(id, textDeltaOf("x"))
    }, 5)
    await eventually(() => streamWrites > 5)
    for (const id of ids) await store.transaction(({ sessions }) => sessions.patch(id, { stepsTaken: 1 }))
    const piecesAtRecords = pieces
    await eventually(() => pieces > piecesAtRecords)
    clearInterval(streams)
    await Promise.all(ids.map((id) => streamed.flush(id)))
    const shown = await Promise.all(ids.map((id) => store.events.read(id, { after: 0, limit: 1_000 })))
    for (const { events } of shown) {
      expect(events.map((event) => event["text"]).join("")).toBe("x".repeat(pieces))
      expect(events.length).toBeLessThan(pieces)
    }
  })

  it("of a session that a client waits for are written before the others", async () => {
    const held = heldStore()
    const streamed = createStreamedEvents(held.store, unexpected)
    streamed.add("first", textDeltaOf("a"))
    await eventually(() => held.waiting.length === 1)
    for (let index = 0; index < 100; index += 1) streamed.add(`s${index}`, textDeltaOf("b"))
    streamed.add("last", textDeltaOf("c"))
    const flushed = streamed.flush("last")
    held.pass()
    await eventually(() => held.waiting.length === 1)
    held.pass()
    await flushed
    expect(held.written[1]).toEqual(["last", [textDeltaOf("c")]])
    await eventually(() => {
      held.pass()
      return held.written.length === 102
    })
  })

  it("end at a limit while the store is slow, without a gap", async () => {
    const held = heldStore()
    const streamed = createStreamedEvents(held.store, unexpected)
    streamed.add("s1", textDeltaOf("first"))
    await eventually(() => held.waiting.length === 1)
    for (let index = 0; index < 100; index += 1) streamed.add("s1", textDeltaOf(`${index % 10}`.repeat(9_999)))
    const flushed = streamed.flush("s1")
    await eventually(() => {
      held.pass()
      return held.written.length === 2
    })
    await flushed
    const text = shownTexts(held.written, "s1").join("").slice("first".length)
    const whole = Array.from({ length: 100 }, (_, index) => `${index % 10}`.repeat(9_999)).join("")
    expect(whole.startsWith(text)).toBe(true)
    expect(text.length).toBeGreaterThan(400_000)
    expect(text.length).toBeLessThanOrEqual(500_000)
  })

  it("that cannot be written are reported, and later events are written", async () => {
    const store = await storeWithSession()
    const problems: unknown[] = []
    let broken = true
    const transaction: Store["transaction"] = async (body, outlasts) => {
      if (broken) throw new Error("disk full")
      return await store.transaction(body, outlasts)
    }
    const streamed = createStreamedEvents({ transaction }, (error) => void problems.push(error))
    streamed.add("s1", textDeltaOf("lost"))
    await streamed.flush("s1")
    broken = false
    streamed.add("s1", textDeltaOf("kept"))
    await streamed.flush("s1")
    const { events } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events.map((event) => event["text"])).toEqual(["kept"])
    expect(problems).toEqual([new Error("disk full")])
  })

  it("can be taken by a transaction that writes them with something else, in order", async () => {
    const held = heldStore()
    const streamed = createStreamedEvents(held.store, unexpected)
    streamed.add("s1", textDeltaOf("first"))
    await eventually(() => held.waiting.length === 1)
    streamed.add("s1", textDeltaOf("second"))
    streamed.add("s1", stepStarted(1))
    const taken = streamed.take("s1")
    held.pass()
    expect(await taken).toEqual([textDeltaOf("second"), stepStarted(1)])
    await streamed.flush("s1")
    expect(held.written).toEqual([["s1", [textDeltaOf("first")]]])
  })

  it("with ordinals are neither joined nor lost, whatever happens to the store", async () => {
    const transaction: Store["transaction"] = () => Promise.reject(new Error("disk full"))
    const streamed = createStreamedEvents({ transaction }, () => undefined)
    for (const event of [stepStarted(1), textDeltaOf("lost"), stepStarted(2)]) streamed.add("s1", event)
    await streamed.flush("s1")
    streamed.add("s1", textDeltaOf("x".repeat(600_000)))
    streamed.add("s1", stepStarted(3))
    expect(await streamed.take("s1")).toEqual([stepStarted(1), stepStarted(2), stepStarted(3)])
    expect(await streamed.take("s1")).toEqual([])
  })
})
