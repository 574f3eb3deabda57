import fc from "fast-check"
import { expect, test } from "vitest"
import {
  assistantMessage,
  messageRow,
  newPause,
  newSession,
  storeWithSession,
  userMessage,
  testEachDatabase,
} from "../../store-fixture.ts"

testEachDatabase(() => {
  test("a row is returned as it was written, whatever its characters, but well formed", async () => {
    const store = await storeWithSession({ now: () => 0 })
    const written = userMessage('é 漢 🙂 \u0000 \ud800 "quotes" \n')
    const message = userMessage('é 漢 🙂 \u0000 \ufffd "quotes" \n')
    expect(await store.messages.put("s1", { seq: 1, runId: "r1", step: 3, message: written, fence: 1.7e15 })).toBe(true)
    expect(await store.messages.get("s1", 1)).toEqual({
      seq: 1,
      runId: "r1",
      step: 3,
      message,
      fence: 1.7e15,
      at: "1970-01-01T00:00:00.000Z",
    })
    expect(await store.messages.get("s1", 2)).toBeUndefined()
  })

  test("rows above the head are invisible", async () => {
    const store = await storeWithSession()
    await store.messages.putAll("s1", [messageRow(3, "c"), messageRow(1, "a"), messageRow(2, "b")])
    const seqs = async (range: { fromSeq?: number; headSeq: number }) =>
      (await store.messages.read("s1", range)).map((row) => row.seq)
    expect(await seqs({ headSeq: 2 })).toEqual([1, 2])
    expect(await seqs({ fromSeq: 2, headSeq: 9 })).toEqual([2, 3])
    expect(await seqs({ headSeq: 0 })).toEqual([])
  })

  test("the end of a transcript is where no attempt of the same time or later has written", async () => {
    const store = await storeWithSession()
    await store.messages.putAll("s1", [messageRow(1, "a"), messageRow(2, "b"), messageRow(3, "c")])
    const { fence = 0 } = (await store.messages.get("s1", 2)) ?? {}
    const tail = (seq: number, since: number) => store.messages.tail("s1", { seq, since })
    expect(await tail(4, 0)).toMatchObject({ row: undefined, isPaused: false })
    expect((await tail(2, fence))?.row).toEqual(await store.messages.get("s1", 2))
    expect(await tail(2, fence + 1)).toMatchObject({ row: undefined, isPaused: false })
    const pause = await store.pauses.open(newPause("cp1"))
    expect(await tail(4, 0)).toMatchObject({ row: undefined, isPaused: true })
    await store.pauses.close("s1", pause.checkpointId)
    expect(await tail(4, 0)).toMatchObject({ row: undefined, isPaused: false })
    await store.sessions.markDeleted("s1")
    expect(await tail(4, 0)).toBeUndefined()
  })

  test("a row has what the latest fence wrote, and of equal fences the last, in whatever order attempts arrive", async () => {
    const store = await storeWithSession()
    let seq = 0
    const writes = fc.array(fc.record({ fence: fc.integer({ min: 0, max: 5 }), text: fc.string() }), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(writes, async (attempts) => {
        seq += 1
        let expected: { fence: number; text: string } | undefined
        for (const attempt of attempts) {
          const wins = expected === undefined || attempt.fence >= expected.fence
          expect(await store.messages.put("s1", messageRow(seq, attempt.text, attempt.fence))).toBe(wins)
          if (wins) expected = attempt
        }
        const row = await store.messages.get("s1", seq)
        expect({ fence: row?.fence, message: row?.message }).toEqual({
          fence: expected?.fence,
          message: userMessage(expected?.text ?? ""),
        })
      }),
      { numRuns: 40 },
    )
  })

  test("each of several rows has its own fence", async () => {
    const store = await storeWithSession()
    await store.messages.put("s1", messageRow(1, "newer", 5))
    await store.messages.putAll("s1", [messageRow(1, "older", 2), messageRow(2, "older", 2)])
    const rows = await store.messages.read("s1", { headSeq: 2 })
    expect(rows.map((row) => row.message)).toEqual([userMessage("newer"), userMessage("older")])
  })

  test("a fork has the rows up to its head, with the run ids that they came from, and survives the original", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("fork"))
    await store.messages.putAll("s1", [
      { ...messageRow(1, "a"), runId: "r1" },
      { seq: 2, runId: "r2", step: 2, message: assistantMessage("b"), fence: 7 },
      messageRow(3, "c"),
    ])
    const original = await store.messages.read("s1", { headSeq: 2 })
    await store.messages.copy("s1", "fork", 2)
    await store.messages.copy("s1", "fork", 2)
    expect(await store.messages.read("fork", { headSeq: 9 })).toEqual(original)
    await store.messages.put("fork", { ...messageRow(2, "other"), fence: 8 })
    expect((await store.messages.get("s1", 2))?.message).toEqual(assistantMessage("b"))
    await store.sessions.remove("s1")
    expect((await store.messages.read("fork", { headSeq: 9 })).map((row) => row.runId)).toEqual(["r1", "r1"])
  })
})
