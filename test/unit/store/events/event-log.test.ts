import fc from "fast-check"
import { expect, test } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { event, newSession, storeWithSession, testEachDatabase } from "../store-fixture.ts"

testEachDatabase(() => {
  test("the events of a session have consecutive numbers and keep their shape", async () => {
    const store = await storeWithSession({ now: () => 0 })
    await store.sessions.create(newSession("s2"))
    expect(await store.events.append("s1", [event({ step: 1 }), event({ step: 2 })])).toBe(2)
    expect(await store.events.append("s2", [event()])).toBe(1)
    expect(
      await store.events.append("s1", [{ type: "run-finished", runId: "r2", data: { status: "completed" } }]),
    ).toBe(3)
    const at = "1970-01-01T00:00:00.000Z"
    expect(await store.events.read("s1", { after: 1, limit: 10 })).toEqual({
      events: [
        { id: 2, type: "step-started", session_id: "s1", run_id: "r1", at, step: 2 },
        { id: 3, type: "run-finished", session_id: "s1", run_id: "r2", at, status: "completed" },
      ],
      firstId: 1,
      lastId: 3,
    })
    expect(await store.events.lastId("s1")).toBe(3)
  })

  test("a text that a message contains is read from there, and is gone with it", async () => {
    const store = await storeWithSession()
    const put = (seq: number, message: Message) =>
      store.messages.put("s1", { seq, runId: "r1", step: 1, message, fence: 1 })
    const call = { id: "c1", name: "Write", arguments: { file_path: "a.txt", content: "x".repeat(5_000) } }
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
    const answered = { role: "assistant", provider: "scripted", model: "m", usage, stop: "tool_calls" } as const
    await put(1, { ...answered, parts: [{ type: "tool_call", call }] })
    await put(2, { role: "tool", call_id: "c1", name: "Write", outcome: "ok", content: "y".repeat(5_000) })
    const finished = { call_id: "c1", seq: 2 }
    await store.events.append("s1", [
      { type: "tool-calls-proposed", runId: "r1", data: { step: 1, seq: 1 }, messageSeq: 1 },
      { type: "tool-finished", runId: "r1", data: finished, messageSeq: 2 },
      { type: "tool-finished", runId: "r1", data: { call_id: "c2", seq: 9 }, messageSeq: 9 },
    ])
    await store.events.compactDeltas("s1", 1)
    const { events } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events).toMatchObject([
      { id: 1, type: "tool-calls-proposed", step: 1, tool_calls: [call] },
      { id: 2, type: "tool-finished", ...finished, preview: "y".repeat(256) },
      { id: 3, type: "tool-finished", seq: 9, preview: "" },
    ])
  })

  test("of the progress of a call the last report remains, of those of other calls too", async () => {
    const store = await storeWithSession()
    const progress = (seq: number, done: number) => ({
      type: "tool-progressed" as const,
      runId: "r1",
      data: { call_id: `c${seq}`, seq, progress: done },
    })
    const planted = { type: "tool-progressed" as const, runId: "r1", data: { call_id: "c2", planted: [] } }
    await store.events.append("s1", [event(), progress(2, 1), progress(3, 1), progress(2, 2)])
    await store.events.append("s1", [planted, progress(2, 3)])
    const { events, firstId, lastId } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events).toMatchObject([
      { id: 1, type: "step-started" },
      { id: 3, call_id: "c3", progress: 1 },
      { id: 5, call_id: "c2", planted: [] },
      { id: 6, call_id: "c2", progress: 3 },
    ])
    expect({ firstId, lastId }).toEqual({ firstId: 1, lastId: 6 })
  })

  test("an event's own fields cannot replace the log's", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [event({ id: 99, session_id: "other", type: "run-finished" })])
    const { events } = await store.events.read("s1", { after: 0, limit: 1 })
    expect(events).toMatchObject([{ id: 1, session_id: "s1", type: "step-started" }])
  })

  test("a log without events starts before id 1", async () => {
    const store = await storeWithSession()
    expect(await store.events.read("s1", { after: 0, limit: 1 })).toEqual({ events: [], firstId: 1, lastId: 0 })
    expect(await store.events.append("s1", [])).toBe(0)
  })

  test.each([-1, 0.5, Number.NaN, 2 ** 60])("the cursor %d is rejected", async (after) => {
    const store = await storeWithSession()
    await expect(store.events.read("s1", { after, limit: 1 })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  test("the same ordinal means another event in another run or session", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("s2"))
    await store.events.append("s1", [event({}, 1), { ...event({}, 1), runId: "r2" }, event({}, 1)])
    await store.events.append("s2", [event({}, 1)])
    expect(await store.events.lastId("s1")).toBe(2)
    expect(await store.events.lastId("s2")).toBe(1)
  })

  test("an event with the ordinal of another one is another event if it says something else: a run that was reset counts again", async () => {
    const store = await storeWithSession()
    const decided = (by: string) => ({ type: "decision-recorded" as const, runId: "r1", ordinal: 4, data: { by } })
    const used = (step: number, tokens: number) =>
      ({ type: "usage-updated", runId: "r1", ordinal: -1_003, data: { step, tokens } }) as const
    const paused = (at: string) => ({ type: "run-paused", runId: "r1", ordinal: -1_000_000, data: { at } }) as const
    const first = [event({}, 3), decided("ana"), used(1, 5), paused("first")]
    const second = [event({}, 3), decided("ben"), event({ step: 2 }, 5), used(1, 7), paused("repeated")]
    for (const batch of [first, first, second, second, first]) await store.events.append("s1", batch)
    const { events, lastId } = await store.events.read("s1", { after: 0, limit: 20 })
    expect(events).toMatchObject([
      { id: 1, type: "step-started" },
      { id: 2, by: "ana" },
      { id: 3, tokens: 5 },
      { id: 4, at: expect.any(String), type: "run-paused" },
      { id: 5, by: "ben" },
      { id: 6, type: "step-started", step: 2 },
      { id: 7, tokens: 7 },
    ])
    expect(lastId).toBe(7)
  })

  test("what has a name in it and happens once is told once, under any ordinal", async () => {
    const store = await storeWithSession()
    const ended = (child_run_id: string, ordinal: number) =>
      ({ type: "child-finished", runId: "r1", ordinal, data: { child_run_id } }) as const
    await store.events.append("s1", [event({}, 1), ended("c1", 2)])
    await store.events.append("s1", [ended("c2", 2), ended("c1", 7), event({ step: 3 }, 8)])
    await store.events.append("s1", [{ ...ended("c1", 7), runId: "r2" }])
    const { events } = await store.events.read("s1", { after: 0, limit: 20 })
    expect(events).toMatchObject([
      { id: 1 },
      { id: 2, child_run_id: "c1" },
      { id: 3, child_run_id: "c2" },
      { id: 4, step: 3 },
      { id: 5, child_run_id: "c1", run_id: "r2" },
    ])
  })

  test("an outbox that is sent again, whole or in part, writes each ordinal once and leaves no gap", async () => {
    const store = await storeWithSession()
    let run = 0
    const batch = fc.array(fc.option(fc.integer({ min: 0, max: 15 }), { nil: undefined }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async (batches) => {
        run += 1
        const runId = `run${run}`
        const start = await store.events.lastId("s1")
        const expected: (number | undefined)[] = []
        for (const ordinals of batches) {
          for (const ordinal of ordinals)
            if (ordinal === undefined || !expected.includes(ordinal)) expected.push(ordinal)
          const last = await store.events.append(
            "s1",
            ordinals.map((ordinal) => ({ ...event({ ordinal: ordinal ?? null }, ordinal), runId })),
          )
          expect(last).toBe(start + expected.length)
        }
        const { events, lastId } = await store.events.read("s1", { after: start, limit: 1000 })
        expect(events.map((each) => each.id)).toEqual(expected.map((_, index) => start + index + 1))
        expect(events.map((each) => each["ordinal"])).toEqual(expected.map((ordinal) => ordinal ?? null))
        expect(lastId).toBe(start + expected.length)
      }),
      { numRuns: 40 },
    )
  })

  test("a batch larger than one statement is appended completely", async () => {
    const store = await storeWithSession()
    const events = Array.from({ length: 1203 }, (_, index) => event({ index }))
    expect(await store.events.append("s1", events)).toBe(1203)
    const page = await store.events.read("s1", { after: 1000, limit: 500 })
    expect(page.events.map((each) => each["index"])).toEqual(Array.from({ length: 203 }, (_, index) => index + 1000))
  })
})
