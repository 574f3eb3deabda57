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
    expect(await media.put("s1", [content("a"), content("a")], most)).toEqual(new Set(["a"]))
    expect(await media.put("s1", [content("a")], 1)).toEqual(new Set(["a"]))
    expect(await media.put("s1", [], most)).toEqual(new Set())
    const [found] = await media.read("s1", ["a", "b"])
    expect(found).toMatchObject({ id: "a", mediaType: "image/png", sha256: "aa" })
    expect(Buffer.from(found?.data ?? []).equals(bytes)).toBe(true)
    expect(await media.read("s1", [])).toEqual([])
  })

  test("a session has at most a number of bytes, and another session none of them", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("s2"))
    const large = content("a", Buffer.alloc(15))
    expect(await store.media.put("s1", [large, content("b"), content("c", Buffer.alloc(5))], most)).toEqual(
      new Set(["a", "c"]),
    )
    expect(await store.media.put("s1", [content("b")], most)).toEqual(new Set())
    expect(await store.media.put("s2", [content("b")], most)).toEqual(new Set(["b"]))
    expect([...(await store.media.usable("s1", claude))].toSorted()).toEqual(["a", "c"])
    expect(await store.media.read("s2", ["a"])).toEqual([])
    expect(await store.media.put("nobody", [content("a")], most)).toEqual(new Set())
  })

  test("what a provider refused is not usable for that model any more, in a fork neither", async () => {
    const { media, sessions } = await storeWithSession()
    await media.put("s1", [content("a"), content("b")], most)
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
    await store.media.put("s1", [content("a"), content("b")], most)
    await store.media.copy("s1", "fork", ["a"])
    await store.media.copy("s1", "fork", ["a"])
    await store.media.copy("s1", "fork", [])
    await store.sessions.erase("s1")
    expect(await store.media.read("s1", ["a", "b"])).toEqual([])
    expect([...(await store.media.usable("fork", claude))]).toEqual(["a"])
    expect(await store.media.read("fork", ["a", "b"])).toHaveLength(1)
    expect(await store.media.put("s1", [content("c")], most)).toEqual(new Set())
  })

  test("contents of a transaction that fails are not stored, and do not count", async () => {
    const store = await storeWithSession()
    const failing = store.transaction(async (writes) => {
      expect(await writes.media.put("s1", [content("a"), content("b")], most)).toEqual(new Set(["a", "b"]))
      throw new Error("the row of the result was not written")
    })
    await expect(failing).rejects.toThrow("was not written")
    expect(await store.media.put("s1", [content("c", Buffer.alloc(most))], most)).toEqual(new Set(["c"]))
    expect(await store.media.read("s1", ["a", "b"])).toEqual([])
  })
})
