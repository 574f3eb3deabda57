import { expect, test } from "vitest"
import { newSession, openTestStore, testEachDatabase } from "../../store-fixture.ts"

const dayMs = 86_400_000
const start = Date.parse("2026-05-01T00:00:00Z")

testEachDatabase(() => {
  test("a tree expires when all of it has ended for long enough, and nothing protects it", async () => {
    let now = start
    const store = await openTestStore({ now: () => now })
    const add = async (id: string, change: Parameters<typeof newSession>[1] = {}, status = "completed" as const) => {
      await store.sessions.create(newSession(id, change))
      await store.sessions.patch(id, { status })
    }
    await add("old")
    await add("child", { parentId: "old", rootId: "old", depth: 1 })
    await add("kept", { label: "keep" })
    await store.sessions.create(newSession("open"))
    await add("parent")
    await store.sessions.create(newSession("runs", { parentId: "parent", rootId: "parent", depth: 1 }))
    now += 20 * dayMs
    await add("new")
    const expiry = { beforeMs: now - 10 * dayMs, keepLabels: ["keep"] }
    const page = { after: 0, limit: 10 }
    expect(await store.sessions.listExpired(expiry, page)).toMatchObject([{ id: "old", sessions: 2 }])
    expect(await store.sessions.listExpired({ ...expiry, keepLabels: [] }, { after: 0, limit: 1 })).toHaveLength(1)

    // Between the list and the erasure, a message continued it.
    await store.sessions.patch("child", { status: "running" })
    expect(await store.sessions.expire(["old", "open"], expiry)).toEqual([])
    await store.sessions.patch("child", { status: "completed" })
    now += 11 * dayMs
    const later = { ...expiry, beforeMs: now - 10 * dayMs }
    expect((await store.sessions.expire(["old", "open"], later)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "child",
      "old",
    ])
    expect((await store.sessions.get("old"))?.deletedAt).not.toBeNull()
    expect((await store.sessions.get("open"))?.deletedAt).toBeNull()
  })

  test("old events are erased without the transcript, and not those of open sessions", async () => {
    let now = start
    const store = await openTestStore({ now: () => now })
    const event = { type: "run-started", runId: "r1", data: {} } as const
    for (const id of ["ended", "open"]) {
      await store.sessions.create(newSession(id))
      await store.events.append(id, [event, event])
    }
    await store.sessions.patch("ended", { status: "completed" })
    now += 2 * dayMs
    expect(await store.sessions.eraseEvents(now - dayMs, 10)).toBe(1)
    expect(await store.sessions.eraseEvents(now - dayMs, 10)).toBe(0)
    const eventsOf = async (id: string) => (await store.events.read(id, { after: 0, limit: 10 })).events.length
    expect([await eventsOf("ended"), await eventsOf("open")]).toEqual([0, 2])
    await store.events.append("ended", [event])
    expect(await eventsOf("ended")).toBe(1)
  })
})
