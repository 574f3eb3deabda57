import { expect, test } from "vitest"
import { newSession, storeWithSession, testEachDatabase } from "../../store-fixture.ts"

const bytes = Buffer.from([0x89, 0, 255, 10, 13, 0])
const content = (id: string, data: Uint8Array = bytes) =>
  ({ id, mediaType: "image/png", sha256: `${id}${id}`, data }) as const
const most = 20
const claude = { provider: "anthropic", model: "claude-opus-5-5" } as const
const other = { provider: "openai", model: "gpt-6-luna" } as const

testEachDatabase(() => {
  test("content is returned as it was stored, and stored once", async () => {
    const { media } = await storeWithSession()
    expect(await media.put("s1", content("a"), most)).toBe(true)
    expect(await media.put("s1", content("a"), 1)).toBe(true)
    const [found] = await media.read("s1", ["a", "b"])
    expect(found).toMatchObject({ id: "a", mediaType: "image/png", sha256: "aa" })
    expect(Buffer.from(found?.data ?? []).equals(bytes)).toBe(true)
    expect(await media.read("s1", [])).toEqual([])
  })

  test("a session has at most a number of bytes, and another session none of them", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("s2"))
    expect(await store.media.put("s1", content("a", Buffer.alloc(15)), most)).toBe(true)
    expect(await store.media.put("s1", content("b"), most)).toBe(false)
    expect(await store.media.put("s2", content("b"), most)).toBe(true)
    expect([...(await store.media.usable("s1", claude))]).toEqual(["a"])
    expect(await store.media.read("s2", ["a"])).toEqual([])
    expect(await store.media.put("nobody", content("a"), most)).toBe(false)
  })

  test("what a provider refused is not usable for that model any more, in a fork neither", async () => {
    const { media, sessions } = await storeWithSession()
    await media.put("s1", content("a"), most)
    await media.put("s1", content("b"), most)
    await media.refuse("s1", claude, ["a"])
    await media.refuse("s1", claude, [])
    expect([...(await media.usable("s1", claude))]).toEqual(["b"])
    expect([...(await media.usable("s1", other))].toSorted()).toEqual(["a", "b"])
    await media.refuse("s1", other, ["a", "b"])
    await media.refuse("s1", other, ["a"])
    expect([...(await media.usable("s1", claude))]).toEqual(["b"])
    expect([...(await media.usable("s1", other))]).toEqual([])
    await sessions.create(newSession("fork"))
    await media.copy("s1", "fork", ["a", "b"])
    expect([...(await media.usable("fork", claude))]).toEqual(["b"])
  })

  test("a copy stays when the original is erased, which erases its own", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("fork"))
    for (const id of ["a", "b"]) await store.media.put("s1", content(id), most)
    await store.media.copy("s1", "fork", ["a"])
    await store.media.copy("s1", "fork", ["a"])
    await store.media.copy("s1", "fork", [])
    await store.sessions.erase("s1")
    expect(await store.media.read("s1", ["a", "b"])).toEqual([])
    expect([...(await store.media.usable("fork", claude))]).toEqual(["a"])
    expect(await store.media.read("fork", ["a", "b"])).toHaveLength(1)
    expect(await store.media.put("s1", content("c"), most)).toBe(false)
  })
})
