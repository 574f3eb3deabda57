import { expect, test } from "vitest"
import { openTestStore, testEachDatabase } from "../store-fixture.ts"

const limits = { mostProfiles: 2, mostBytes: 200 }
const by = { by: "ana", via: "http" } as const

testEachDatabase(() => {
  test("profiles are replaced by version, audited with both versions, and never use a version twice", async () => {
    const store = await openTestStore()
    const change = async (base: number | "none" | "any", profile: object | null) =>
      (await store.profiles.change({ name: "editor", base, profile, ...by }, limits)).kind
    expect(await change(1, { prompt: "a" })).toBe("conflict")
    expect(await change("none", { prompt: "a" })).toBe("changed")
    expect(await change("none", { prompt: "b" })).toBe("conflict")
    // Of two edits of one version, one is refused.
    const both = await Promise.all([change(1, { prompt: "b" }), change(1, { prompt: "b" })])
    expect(both.toSorted()).toEqual(["changed", "conflict"])
    expect(await store.profiles.list()).toMatchObject([
      { name: "editor", version: 2, profile: { prompt: "b" }, updatedBy: "ana" },
    ])
    expect(await change(1, null)).toBe("conflict")
    expect(await change("any", null)).toBe("changed")
    expect(await store.profiles.list()).toEqual([])
    expect(await change("any", null)).toBe("conflict")
    expect(await change("none", { prompt: "c" })).toBe("changed")
    expect(await store.profiles.list()).toMatchObject([{ version: 4, profile: { prompt: "c" } }])
    const entry = { sessionId: "", runId: null, ...by }
    expect(await store.audit.list({})).toMatchObject([
      { ...entry, action: "profile-create", detail: { version: 4, before: null, after: { prompt: "c" } } },
      { ...entry, action: "profile-delete", detail: { version: 3, before: { prompt: "b" }, after: null } },
      { ...entry, action: "profile-update", detail: { before: { prompt: "a" }, after: { prompt: "b" } } },
      { ...entry, action: "profile-create", detail: { profile: "editor", version: 1, after: { prompt: "a" } } },
    ])
  })

  test("profiles are limited in number and in length", async () => {
    const store = await openTestStore()
    const create = async (name: string, prompt: string) =>
      (await store.profiles.change({ name, base: "none", profile: { prompt }, ...by }, limits)).kind
    expect(await create("a", "x".repeat(200))).toBe("full")
    expect(await create("a", "x".repeat(100))).toBe("changed")
    expect(await create("b", "x".repeat(100))).toBe("full")
    expect(await create("b", "x")).toBe("changed")
    expect(await create("c", "x")).toBe("full")
    expect((await store.profiles.list()).map(({ name }) => name)).toEqual(["a", "b"])
    expect(await store.audit.list({})).toHaveLength(2)
  })
})
