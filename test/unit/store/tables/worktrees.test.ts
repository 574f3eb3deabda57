import { expect, test } from "vitest"
import { newSession, openTestStore, testEachDatabase } from "../store-fixture.ts"

const place = { sessionId: "s1", machine: "m", path: "/data/worktrees/k/adjutant-k", source: "/project" }
const details = { files: [], diff: "+x\n", is_cut: false, left_out: [], problem: null }
const changed = { status: "changed", tree: "t1", details, patch: Buffer.from([1, 0, 255, 10]) } as const

testEachDatabase(() => {
  test("a worktree ends once, is merged by one call, and is erased with its session", async () => {
    const { sessions, worktrees } = await openTestStore()
    expect(await worktrees.open(place)).toBe(false)
    await sessions.create(newSession("s1"))
    expect(await worktrees.open(place)).toBe(true)
    expect(await worktrees.open(place)).toBe(false)
    expect(await worktrees.beginMerge("s1", { tree: "t1", key: "call 1" })).toBe(false)
    expect(await worktrees.end("s1", changed)).toBe(true)
    expect(await worktrees.end("s1", { ...changed, tree: "t2" })).toBe(false)
    expect(await worktrees.get("s1")).toEqual({ ...place, status: "changed", tree: "t1", details, mergeKey: null })
    expect(await worktrees.readPatch("s1")).toEqual(changed.patch)
    expect(await worktrees.beginMerge("s1", { tree: "t2", key: "call 1" })).toBe(false)
    expect(await worktrees.beginMerge("s1", { tree: "t1", key: "call 1" })).toBe(true)
    expect(await worktrees.beginMerge("s1", { tree: "t1", key: "call 1" })).toBe(true)
    expect(await worktrees.beginMerge("s1", { tree: "t1", key: "call 2" })).toBe(false)
    await worktrees.endMerge("s1", "call 1", false)
    expect(await worktrees.beginMerge("s1", { tree: "t1", key: "call 2" })).toBe(true)
    await worktrees.endMerge("s1", "call 2", true)
    expect(await worktrees.get("s1")).toMatchObject({ status: "merged", mergeKey: "call 2" })
    expect(await worktrees.readPatch("s1")).toBeUndefined()
    await sessions.markDeleted("s1")
    expect(await worktrees.open(place)).toBe(false)
    await sessions.erase("s1")
    expect(await worktrees.get("s1")).toBeUndefined()
  })

  test("a worktree that is opened again keeps the changes of the earlier run until it ends with others", async () => {
    const { sessions, worktrees } = await openTestStore()
    await sessions.create(newSession("s1"))
    await worktrees.open(place)
    await worktrees.end("s1", changed)
    expect(await worktrees.open(place)).toBe(true)
    expect(await worktrees.get("s1")).toMatchObject({ status: "open", tree: null, details: null })
    expect(await worktrees.readPatch("s1")).toEqual(changed.patch)
    await worktrees.end("s1", { status: "failed", tree: null, details, patch: null })
    expect(await worktrees.readPatch("s1")).toEqual(changed.patch)
    await worktrees.open(place)
    await worktrees.end("s1", { status: "unchanged", tree: "t0", details, patch: null })
    expect(await worktrees.readPatch("s1")).toBeUndefined()
  })
})
