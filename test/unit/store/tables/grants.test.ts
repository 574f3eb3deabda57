import { expect, test } from "vitest"
import { newSession, openTestStore, testEachDatabase } from "../store-fixture.ts"

const grant = (id: string, expiresAt: string) => ({
  ...{ id, sessionId: "s1", tool: "Write", arguments: { file_path: "docs/**" } },
  ...{ createdBy: "mia", createdVia: "cli", expiresAt },
})

testEachDatabase(() => {
  test("grants end when they expire or are revoked, belong to one session, and are erased with it", async () => {
    let now = Date.parse("2026-11-26T09:00:00Z")
    const store = await openTestStore({ now: () => now })
    await store.sessions.create(newSession("s1"))
    await store.sessions.create(newSession("s2"))
    const later = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
    expect(await store.grants.create(grant("a", later(1)), 2)).toBe(true)
    expect(await store.grants.create(grant("b", later(5)), 2)).toBe(true)
    expect(await store.grants.create(grant("c", later(5)), 2)).toBe(false)
    const active = async () => (await store.grants.listActive("s1")).map(({ id }) => id)
    expect(await active()).toEqual(["a", "b"])
    expect(await store.grants.list("s2")).toEqual([])
    expect(await store.grants.revoke("s2", "a", "eve")).toBeUndefined()
    now += 3_600_000
    expect(await active()).toEqual(["b"])
    const revoked = await store.grants.revoke("s1", "b", "ann")
    expect(revoked).toMatchObject({ id: "b", revokedBy: "ann", arguments: { file_path: "docs/**" } })
    now += 1_000
    expect(await store.grants.revoke("s1", "b", "someone else")).toEqual(revoked)
    expect(await active()).toEqual([])
    await store.sessions.markDeleted("s1")
    await store.sessions.erase("s1")
    expect(await store.grants.list("s1")).toEqual([])
  })
})
