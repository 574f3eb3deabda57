import { expect, test } from "vitest"
import type { Store } from "../../../../../store/store.ts"
import { assistantMessage, event, storeWithSession, textDelta, testEachDatabase } from "../../store-fixture.ts"

const putAnswer = (store: Store, text: string, reasoning = "") =>
  store.messages.put("s1", { seq: 1, runId: "r1", step: 1, message: assistantMessage(text, reasoning), fence: 1 })

const reasoningDelta = (text: string) =>
  ({ type: "reasoning-delta", runId: "r1", data: { seq: 1, attempt: 1, text } }) as const

const read = async (store: Store, after = 0) => (await store.events.read("s1", { after, limit: 100 })).events

testEachDatabase(() => {
  test("deltas are returned as they were appended until they are compacted", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [textDelta("he"), textDelta("llo")])
    expect(await read(store)).toMatchObject([
      { id: 1, type: "text-delta", seq: 1, attempt: 1, text: "he" },
      { id: 2, type: "text-delta", seq: 1, attempt: 1, text: "llo" },
    ])
  })

  test("compacting leaves one delta per type, at the last one's position, with the text of the transcript", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [event(), reasoningDelta("hm"), reasoningDelta("m"), textDelta("fail", 1, 1)])
    await store.events.append("s1", [textDelta("he", 1, 2), textDelta("llo", 1, 2), textDelta("next", 2, 1), event()])
    await putAnswer(store, "hello", "hmm")
    await store.events.compactDeltas("s1", 1)
    await store.events.compactDeltas("s1", 1)
    expect(await read(store)).toMatchObject([
      { id: 1, type: "step-started" },
      { id: 3, type: "reasoning-delta", seq: 1, attempt: 1, text: "hmm", whole: true },
      { id: 6, type: "text-delta", seq: 1, attempt: 2, text: "hello", whole: true },
      { id: 7, type: "text-delta", seq: 2, text: "next" },
      { id: 8, type: "step-started" },
    ])
    expect(await store.events.append("s1", [event()])).toBe(9)
  })

  test("compacting is not a gap for readers", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [textDelta("a"), textDelta("b")])
    await putAnswer(store, "ab")
    await store.events.compactDeltas("s1", 1)
    expect(await store.events.read("s1", { after: 0, limit: 9 })).toMatchObject({ firstId: 1, lastId: 2 })
    expect(await read(store, 1)).toMatchObject([{ id: 2, text: "ab", whole: true }])
  })

  test("deltas whose answer never reached the transcript are kept", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [textDelta("a"), textDelta("b")])
    await store.events.compactDeltas("s1", 1)
    expect((await read(store)).map((each) => each["text"])).toEqual(["a", "b"])
  })

  test("deltas that an old attempt adds later are merged into the compacted ones", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [textDelta("ab", 1, 2)])
    await putAnswer(store, "ab")
    await store.events.compactDeltas("s1", 1)
    await store.events.append("s1", [textDelta("late", 1, 1)])
    await store.events.compactDeltas("s1", 1)
    expect(await read(store)).toMatchObject([{ id: 2, attempt: 2, text: "ab", whole: true }])
  })
})
