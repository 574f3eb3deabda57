import { expect, test } from "vitest"
import { messageRow, newSession, openTestStore, testEachDatabase, userMessage } from "../../store-fixture.ts"

testEachDatabase(() => {
  test("a part of the title, the label or the id finds a session, in upper or lower case", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("abc123", { title: "Über 100% done" }))
    await store.sessions.create(newSession("def456", { label: "Kid_One" }))
    await store.sessions.create(newSession("ghi789"))
    const find = async (q: string) => (await store.sessions.list({ q })).items.map(({ id }) => id)
    expect(await find("100% DONE")).toEqual(["abc123"])
    expect(await find("kid_one")).toEqual(["def456"])
    expect(await find("kidxone")).toEqual([])
    expect(await find("%")).toEqual(["abc123"])
    expect(await find("GHI")).toEqual(["ghi789"])
  })

  test("sessions are counted by status, archived ones apart", async () => {
    const store = await openTestStore()
    for (const id of ["a", "b", "c"]) await store.sessions.create(newSession(id, { rootId: "a" }))
    await store.sessions.patch("a", { status: "completed" })
    await store.sessions.archive("b", new Date().toISOString())
    expect(await store.sessions.count({})).toMatchObject({ completed: 1, pending: 1, running: 0 })
    expect(await store.sessions.count({ archived: true })).toMatchObject({ completed: 0, pending: 1 })
    expect((await store.sessions.list({ archived: true })).items.map(({ id }) => id)).toEqual(["b"])
    expect(await store.sessions.count({ rootId: "x" })).toMatchObject({ completed: 0, pending: 0 })
  })

  test("sub-agents are numbered by parent or caller, and a number is never given twice", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("p"))
    const child = (id: string) => newSession(id, { parentId: "p", rootId: "p" })
    for (const id of ["c1", "c2"]) await store.sessions.create(child(id))
    await store.sessions.create(child("c2"))
    await store.sessions.erase("c2")
    await store.sessions.create(child("c3"))
    await store.sessions.create(newSession("o1", { caller: "ide" }))
    await store.sessions.erase("o1")
    await store.sessions.create(newSession("o2", { caller: "ide" }))
    const numbers = await Promise.all(["p", "c1", "c3", "o2"].map(async (id) => (await store.sessions.get(id))?.number))
    expect(numbers).toEqual([null, 1, 3, 2])
  })

  test("what blocks a session is kept until it is cleared", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("s1"))
    const blockedBy = { type: "lane", since: "2026-11-21T10:00:00.000Z" } as const
    await store.sessions.patch("s1", { blockedBy })
    await store.sessions.patch("s1", { status: "running" })
    expect((await store.sessions.get("s1"))?.blockedBy).toEqual(blockedBy)
    await store.sessions.patch("s1", { blockedBy: null })
    expect((await store.sessions.get("s1"))?.blockedBy).toBeNull()
  })

  test("an accepted text is the last row until its run places it, once per run", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("s1"))
    await store.messages.put("s1", messageRow(1, "before"))
    await store.sessions.patch("s1", { headSeq: 1 })
    await store.runs.create({ runId: "r2", sessionId: "s1", snapshotHash: "h" })
    const accepted = { runId: "r2", message: userMessage("hello") }
    await store.messages.accept("s1", accepted)
    await store.messages.accept("s1", accepted)
    const { headSeq = 0 } = (await store.sessions.get("s1")) ?? {}
    expect((await store.messages.read("s1", { headSeq })).map(({ seq, message }) => [seq, message])).toEqual([
      [1, userMessage("before")],
      [2, userMessage("hello")],
    ])
    expect(await store.messages.placedHead("s1")).toBe(1)
    await store.messages.put("s1", { ...messageRow(2, "hello"), runId: "r2" })
    expect(await store.messages.placedHead("s1")).toBe(2)
  })

  test("an accepted text is withdrawn if its run does not start, and kept if the run ended before its first step", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("s1"))
    for (const runId of ["r1", "r2"]) {
      await store.runs.create({ runId, sessionId: "s1", snapshotHash: "h" })
      await store.messages.accept("s1", { runId, message: userMessage(runId) })
      if (runId === "r1") await store.messages.withdraw("s1", runId)
    }
    expect((await store.sessions.get("s1"))?.headSeq).toBe(1)
    expect((await store.messages.get("s1", 1))?.message).toEqual(userMessage("r2"))
    await store.runs.patch("r2", { status: "cancelled" })
    expect(await store.messages.placedHead("s1")).toBe(1)
  })
})
