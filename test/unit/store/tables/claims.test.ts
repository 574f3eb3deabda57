import { expect, test } from "vitest"
import { messageRow, storeWithSession, userMessage, testEachDatabase } from "../store-fixture.ts"

const claim = (fence: number, callId = "call_1") => ({
  sessionId: "s1",
  seq: 2,
  callId,
  callHash: "h",
  tool: "Bash",
  fence,
})

testEachDatabase(() => {
  test("a call is claimed once, whichever attempt comes later", async () => {
    const store = await storeWithSession({ now: () => 0 })
    expect(await store.claims.claim(claim(1))).toEqual({ claimed: true })
    const existing = {
      sessionId: "s1",
      seq: 2,
      callId: "call_1",
      callHash: "h",
      tool: "Bash",
      at: "1970-01-01T00:00:00.000Z",
      done: false,
      fence: 1,
    }
    expect(await store.claims.claim(claim(1))).toEqual({ claimed: false, existing })
    expect(await store.claims.claim(claim(2))).toEqual({ claimed: false, existing })
    expect(await store.claims.get("s1", 2)).toEqual(existing)
  })

  test("of many that claim at once one may continue", async () => {
    const store = await storeWithSession()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, fence) => store.claims.claim(claim(fence))))
    expect(answers.filter((answer) => answer.claimed)).toHaveLength(1)
  })

  test("finishing writes the result and marks the claim", async () => {
    const store = await storeWithSession()
    await store.claims.claim(claim(1))
    expect(await store.claims.finish({ sessionId: "s1", seq: 2 }, messageRow(2, "result", 1))).toBe(true)
    expect((await store.claims.get("s1", 2))?.done).toBe(true)
    expect((await store.messages.get("s1", 2))?.message).toEqual(userMessage("result"))
  })

  test("a claim that comes with its result is done", async () => {
    const store = await storeWithSession()
    expect(await store.claims.claim({ ...claim(1), done: true })).toEqual({ claimed: true })
    expect(await store.claims.claim(claim(2))).toMatchObject({ claimed: false, existing: { done: true, fence: 1 } })
    expect(await store.claims.claim({ ...claim(5, "call_2"), done: true })).toEqual({ claimed: true })
    expect((await store.claims.get("s1", 2))?.done).toBe(true)
  })

  test("the starts of a claimed call are counted, each attempt once, and a graceful stop takes one back", async () => {
    const store = await storeWithSession()
    const start = (fence: number) => store.claims.restart({ sessionId: "s1", seq: 2, fence })
    expect(await start(1)).toBeUndefined()
    await store.claims.claim(claim(1))
    expect(await start(2)).toBe(2)
    expect(await start(2)).toBe(2)
    expect(await start(3)).toBe(3)
    await store.claims.stopped({ sessionId: "s1", seq: 2 })
    expect(await start(4)).toBe(3)
  })

  test("an abandoned attempt does not overwrite the result of a later one", async () => {
    const store = await storeWithSession()
    await store.claims.claim(claim(1))
    await store.messages.put("s1", messageRow(2, "outcome unknown", 2))
    expect(await store.claims.finish({ sessionId: "s1", seq: 2 }, messageRow(2, "late", 1))).toBe(false)
    expect((await store.messages.get("s1", 2))?.message).toEqual(userMessage("outcome unknown"))
    expect((await store.claims.get("s1", 2))?.done).toBe(false)
  })

  test("after a reset another call at the same seq is claimed again, and the abandoned one cannot finish it", async () => {
    const store = await storeWithSession()
    await store.claims.claim(claim(1, "abandoned"))
    expect(await store.claims.claim(claim(5, "call_2"))).toEqual({ claimed: true })
    expect((await store.claims.claim(claim(1, "abandoned"))).existing?.callId).toBe("call_2")
    await store.claims.finish({ sessionId: "s1", seq: 2 }, messageRow(2, "late", 1))
    expect((await store.claims.get("s1", 2))?.done).toBe(false)
  })
})
