import { expect, it } from "vitest"
import type { NewBinding } from "../../../../../store/store.ts"
import { newSession, testEachDatabase, storeWithSession } from "../../store-fixture.ts"

const binding = (sessionId: string, threadKey: string): NewBinding => ({
  sessionId,
  channel: "team",
  threadKey,
  outbound: {
    url: "https://example.test/out",
    secretEnv: "T",
    policy: { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 },
    spawnSubagentSessions: true,
  },
  idleMs: 5_000,
  maxAgeMs: 0,
})

testEachDatabase(() => {
  it("gives a thread one session and a session one thread", async () => {
    const { bindings, sessions } = await storeWithSession()
    await sessions.create(newSession("s2"))
    await bindings.bind(binding("s1", "t1"))
    await bindings.bind(binding("s2", "t1"))
    expect(await bindings.ofThread("team", "t1")).toMatchObject({ sessionId: "s2" })
    expect(await bindings.ofSession("s1")).toBeUndefined()
    await bindings.bind(binding("s2", "t2"))
    expect(await bindings.ofThread("team", "t1")).toBeUndefined()
    expect(await bindings.list()).toMatchObject([binding("s2", "t2")])
  })

  it("gives a thread to the last of several sessions that bind it at the same time", async () => {
    const { bindings, sessions } = await storeWithSession()
    const ids = Array.from({ length: 8 }, (_, index) => `b${index}`)
    for (const id of ids) await sessions.create(newSession(id))
    await Promise.all(ids.map((id) => bindings.bind(binding(id, "t1"))))
    expect(await bindings.list()).toHaveLength(1)
  })

  it("lets only one of two new sessions have a thread", async () => {
    const { bindings, sessions } = await storeWithSession()
    await sessions.create(newSession("s2"))
    const won = await Promise.all([bindings.bindNew(binding("s1", "t1")), bindings.bindNew(binding("s2", "t1"))])
    expect(won.filter(Boolean)).toHaveLength(1)
  })

  it("shows that a run is open, its own or one of a sub-agent that works on after it", async () => {
    const { bindings, sessions } = await storeWithSession()
    const isOpen = async () => (await bindings.ofSession("s1"))?.hasOpenRun
    const set = (sessionId: string, status: "running" | "completed") =>
      sessions.patch(sessionId, { status, runId: `r-${sessionId}` })
    await sessions.create(newSession("c1", { parentId: "s1", rootId: "s1", depth: 1 }))
    await bindings.bind(binding("s1", "t1"))
    expect(await isOpen()).toBe(false)
    await set("s1", "running")
    await set("c1", "running")
    expect(await isOpen()).toBe(true)
    await set("s1", "completed")
    expect(await isOpen()).toBe(true)
    await set("c1", "completed")
    expect(await isOpen()).toBe(false)
  })

  it("updates the time of the last message", async () => {
    let now = 1_000
    const { bindings } = await storeWithSession({ now: () => now })
    await bindings.bind(binding("s1", "t1"))
    now = 9_000
    await bindings.touch("s1")
    expect(await bindings.ofSession("s1")).toMatchObject({
      boundAt: new Date(1_000).toISOString(),
      activeAt: new Date(9_000).toISOString(),
    })
    expect(await bindings.patch("s1", { maxAgeMs: 7 })).toBe(true)
    expect(await bindings.ofSession("s1")).toMatchObject({ maxAgeMs: 7, idleMs: 5_000 })
  })

  it("is removed on request, and with its session", async () => {
    const { bindings, sessions } = await storeWithSession()
    await bindings.bind(binding("s1", "t1"))
    expect(await bindings.remove("s1")).toMatchObject({ threadKey: "t1" })
    expect(await bindings.remove("s1")).toBeUndefined()
    await bindings.bind(binding("s1", "t1"))
    await sessions.markDeleted("s1")
    expect(await bindings.ofThread("team", "t1")).toBeUndefined()
    expect(await bindings.bindNew(binding("s1", "t2"))).toBe(false)
  })
})
