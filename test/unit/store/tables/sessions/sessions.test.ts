import { expect, test } from "vitest"
import {
  event,
  messageRow,
  newPause,
  newSession,
  openTestStore,
  storeWithSession,
  usageEntry,
  testEachDatabase,
} from "../../store-fixture.ts"

testEachDatabase(() => {
  test("a new session is pending, with the given values", async () => {
    const store = await openTestStore({ now: () => 1_700_000_000_123 })
    const session = newSession("abc123", { title: "T", label: "l", metadata: { ticket: 7, nested: { a: [1] } } })
    expect(await store.sessions.create(session)).toBe(true)
    expect(await store.sessions.get("abc123")).toEqual({
      ...session,
      internal: {},
      caller: null,
      blockedBy: null,
      number: null,
      status: "pending",
      stopReason: null,
      runId: null,
      finalMessage: null,
      error: null,
      stepsTaken: 0,
      headSeq: 0,
      createdAt: "2023-11-14T22:13:20.123Z",
      updatedAt: "2023-11-14T22:13:20.123Z",
      archivedAt: null,
      deletedAt: null,
    })
  })

  test("an id that is in use is rejected, and the first session stays", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("abc123", { title: "first" }))
    expect(await store.sessions.create(newSession("abc123", { title: "second" }))).toBe(false)
    expect((await store.sessions.get("abc123"))?.title).toBe("first")
  })

  test("a patch changes only what it names, null included", async () => {
    const store = await storeWithSession()
    await store.sessions.patch("s1", {
      status: "failed",
      stopReason: "error",
      error: { code: "x", message: "m" },
      title: "t",
    })
    await store.sessions.patch("s1", { error: null, finalMessage: "done\u0000\ud800", headSeq: 4, stepsTaken: 2 })
    expect(await store.sessions.get("s1")).toMatchObject({
      status: "failed",
      stopReason: "error",
      error: null,
      title: "t",
      finalMessage: "done\u0000\ud800",
      headSeq: 4,
      stepsTaken: 2,
    })
  })

  test("a label names sessions without a parent of one caller, open ones first", async () => {
    const store = await openTestStore()
    const label = "build"
    await store.sessions.create(newSession("aaa", { label }))
    await store.sessions.create(newSession("bbb", { label }))
    await store.sessions.create(newSession("ccc", { label, parentId: "aaa", rootId: "aaa" }))
    await store.sessions.create(newSession("ddd", { label, caller: "http:ci" }))
    await store.sessions.create(newSession("eee", { label, caller: "http:local" }))
    await store.sessions.patch("eee", { status: "completed" })
    const ids = async (caller: string | null) => (await store.sessions.labelled(label, caller)).map(({ id }) => id)
    expect(await ids(null)).toEqual(["bbb", "aaa", "eee"])
    expect(await ids("http:ci")).toEqual(["ddd"])
    expect(await ids("http:other")).toEqual([])
    await store.sessions.markDeleted("bbb")
    expect(await ids(null)).toEqual(["aaa", "eee"])
    expect((await store.sessions.byKey("agent:general:main:aaa"))?.id).toBe("aaa")
    expect(await store.sessions.byKey("agent:general:main:aaa", "http:ci")).toBeUndefined()
  })

  test("pages of a list contain every session once, newest first, even if the clock does not advance", async () => {
    const store = await openTestStore({ now: () => 1000 })
    const ids = Array.from({ length: 7 }, (_, index) => `id${index}`)
    for (const id of ids) await store.sessions.create(newSession(id))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await store.sessions.list({ limit: 3, ...(cursor === null ? {} : { cursor }) })
      seen.push(...page.items.map((item) => item.id))
      cursor = page.nextCursor
      // A session that is added meanwhile does not shift the pages.
      await store.sessions.create(newSession(`late${seen.length}`))
    } while (cursor !== null)
    expect(seen).toEqual(ids.toReversed())
  })

  test("a list is filtered by parent, root, status and agent and omits archived and deleted sessions", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("root"))
    await store.sessions.create(newSession("kid", { parentId: "root", rootId: "root", agent: "explore" }))
    await store.sessions.create(newSession("old"))
    await store.sessions.create(newSession("gone"))
    await store.sessions.patch("kid", { status: "paused" })
    await store.sessions.archive("old", "2026-01-02T03:04:05.000Z")
    await store.sessions.markDeleted("gone")
    const ids = async (filter: Parameters<typeof store.sessions.list>[0]) =>
      (await store.sessions.list(filter)).items.map((item) => item.id)
    expect(await ids({})).toEqual(["kid", "root"])
    expect(await ids({ includeArchived: true })).toEqual(["old", "kid", "root"])
    expect(await ids({ parentId: "root" })).toEqual(["kid"])
    expect(await ids({ rootId: "root" })).toEqual(["kid", "root"])
    expect(await ids({ status: "paused" })).toEqual(["kid"])
    expect(await ids({ agent: "explore" })).toEqual(["kid"])
    expect((await store.sessions.get("old"))?.archivedAt).toBe("2026-01-02T03:04:05.000Z")
    await store.sessions.archive("old", null)
    expect(await ids({})).toEqual(["old", "kid", "root"])
  })

  test.each(["", "x", "AAAA", "Li4u", "-1", "%00"])("the cursor %j is rejected", async (cursor) => {
    const store = await openTestStore()
    await expect(store.sessions.list({ cursor })).rejects.toMatchObject({ code: "invalid_argument" })
  })

  test("open sessions are those that are pending, running or paused", async () => {
    const store = await openTestStore()
    const statuses = ["pending", "running", "paused", "completed", "failed", "cancelled", "timed_out"] as const
    for (const status of statuses) {
      await store.sessions.create(newSession(status))
      await store.sessions.patch(status, { status })
    }
    await store.sessions.create(newSession("deleted"))
    await store.sessions.markDeleted("deleted")
    expect((await store.sessions.listOpen()).map((row) => row.id)).toEqual(["pending", "running", "paused"])
  })

  test("after the tombstone every write to the session is ignored", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("s2"))
    await store.messages.put("s1", messageRow(1, "kept"))
    await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: "h" })
    await store.events.append("s1", [event()])
    await store.sessions.markDeleted("s1")
    const before = await store.sessions.get("s1")

    await store.sessions.patch("s1", { status: "running", title: "late" })
    await store.sessions.archive("s1", "2026-01-01T00:00:00Z")
    expect(await store.messages.put("s1", messageRow(2, "late"))).toBe(false)
    await store.messages.putAll("s1", [messageRow(3, "late")])
    await store.messages.copy("s2", "s1", 9)
    await store.inbox.put({ id: "i", sessionId: "s1", source: "input", text: "late" })
    expect(await store.events.append("s1", [event()])).toBe(1)
    await store.runs.create({ runId: "r2", sessionId: "s1", snapshotHash: "h" })
    expect(await store.runs.patch("r1", { status: "completed" })).toBe(false)
    expect(
      await store.claims.claim({ sessionId: "s1", seq: 4, callId: "c", callHash: "h", tool: "Bash", fence: 1 }),
    ).toEqual({
      claimed: false,
    })
    await store.claims.finish({ sessionId: "s1", seq: 4 }, messageRow(4, "late"))
    expect((await store.pauses.open(newPause("cp"))).closedAt).not.toBeNull()
    await store.usage.put(usageEntry())
    await store.todos.write("s1", [{ content: "late", status: "pending" }])

    expect(await store.sessions.get("s1")).toEqual(before)
    expect((await store.messages.read("s1", { headSeq: 100 })).map((row) => row.seq)).toEqual([1])
    expect(await store.inbox.get("s1", "i")).toBeUndefined()
    expect((await store.runs.list("s1")).map((run) => run.runId)).toEqual(["r1"])
    expect(await store.pauses.latest("s1")).toBeUndefined()
    expect((await store.usage.total({ sessionId: "s1" })).inputTokens).toBe(0)
    expect(await store.todos.read("s1")).toEqual([])
  })

  test("erasing leaves only the row without texts, the audit and the sums", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("s1", { title: "secret", label: "secret", metadata: { note: "secret" } }))
    await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: "h" })
    await store.messages.put("s1", messageRow(1, "secret"))
    await store.inbox.put({ id: "i", sessionId: "s1", source: "input", text: "secret" })
    await store.events.append("s1", [event(), event(), event()])
    await store.claims.claim({ sessionId: "s1", seq: 2, callId: "c", callHash: "h", tool: "Bash", fence: 1 })
    await store.pauses.open(newPause("cp", { message: "secret" }))
    await store.todos.write("s1", [{ content: "secret", status: "pending" }])
    await store.usage.put(usageEntry())
    await store.runs.patch("r1", { status: "completed", finalMessage: "secret" })
    await store.sessions.patch("s1", { finalMessage: "secret", error: { code: "x", message: "secret" } })
    await store.audit.record({ sessionId: "s1", runId: null, action: "delete", by: "ann", via: "http", detail: {} })

    await store.sessions.markDeleted("s1")
    const deletedAt = (await store.sessions.get("s1"))?.deletedAt
    await store.sessions.erase("s1")
    await store.sessions.erase("s1")

    const row = await store.sessions.get("s1")
    expect(row).toMatchObject({ deletedAt, title: null, label: null, finalMessage: null, error: null, metadata: {} })
    expect(await store.messages.read("s1", { headSeq: 100 })).toEqual([])
    expect(await store.inbox.get("s1", "i")).toBeUndefined()
    expect(await store.events.read("s1", { after: 0, limit: 10 })).toEqual({ events: [], firstId: 4, lastId: 3 })
    expect(await store.claims.get("s1", 2)).toBeUndefined()
    expect(await store.pauses.byCheckpoint("cp")).toBeUndefined()
    expect(await store.todos.read("s1")).toEqual([])
    expect((await store.runs.get("r1"))?.finalMessage).toBeNull()
    expect((await store.usage.total({ sessionId: "s1" })).inputTokens).toBe(10)
    expect(await store.audit.list({ sessionId: "s1" })).toHaveLength(1)
    expect(await store.sessions.create(newSession("s1"))).toBe(false)
  })

  test("a removed session leaves nothing, and its id is free again", async () => {
    const store = await storeWithSession()
    await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: "h" })
    await store.messages.put("s1", messageRow(1, "x"))
    await store.events.append("s1", [event()])
    await store.sessions.remove("s1")
    expect(await store.sessions.get("s1")).toBeUndefined()
    expect(await store.runs.get("r1")).toBeUndefined()
    expect(await store.sessions.create(newSession("s1"))).toBe(true)
    expect(await store.messages.read("s1", { headSeq: 100 })).toEqual([])
    expect(await store.events.append("s1", [event()])).toBe(1)
  })
})
