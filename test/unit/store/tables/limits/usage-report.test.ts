import { expect, test } from "vitest"
import { newSession, openTestStore, testEachDatabase, usageEntry } from "../../store-fixture.ts"

const may = Date.parse("2026-05-30T23:59:59Z")
const hourMs = 3_600_000

testEachDatabase(() => {
  test("usage is reported by day, profile, model, label and caller, exactly as the sum of the runs", async () => {
    let now = may
    const store = await openTestStore({ now: () => now })
    await store.sessions.create(newSession("s1", { label: "migration", caller: "http:ci", agent: "general" }))
    await store.sessions.create(newSession("s2", { parentId: "s1", rootId: "s1", depth: 1, agent: "explore" }))
    await store.sessions.create(newSession("s3", { caller: "cli:ana" }))
    await store.usage.put(usageEntry({ costMicroUsd: 1 }))
    await store.usage.put(usageEntry({ sessionId: "s2", runId: "r2", costMicroUsd: 333_333, model: "small" }))
    now += hourMs
    await store.usage.put(usageEntry({ step: 2, costMicroUsd: 2_000_000_007 }))
    await store.usage.put(usageEntry({ sessionId: "s3", runId: "r3", costMicroUsd: null }))
    // A repeated entry keeps its time.
    now += 48 * hourMs
    await store.usage.put(usageEntry({ step: 2, costMicroUsd: 2_000_000_007 }))

    const report = (...groupBy: readonly ("day" | "profile" | "model" | "label" | "caller")[]) =>
      store.usage.report({ groupBy, limit: 100 })
    expect(await report("caller")).toMatchObject([
      { keys: { caller: "http:ci" }, calls: 3, unpricedCalls: 0, costMicroUsd: 2_000_333_341, inputTokens: 30 },
      { keys: { caller: "local" }, calls: 1, unpricedCalls: 1, costMicroUsd: null },
    ])
    expect(await report("day", "model")).toMatchObject([
      { keys: { day: "2026-05-30", model: "demo" }, costMicroUsd: 1 },
      { keys: { day: "2026-05-30", model: "small" }, costMicroUsd: 333_333 },
      { keys: { day: "2026-05-31", model: "demo" }, costMicroUsd: 2_000_000_007, calls: 2, unpricedCalls: 1 },
    ])
    const byLabel = await report("label")
    expect(new Map(byLabel.map(({ keys, calls }) => [keys.label, calls]))).toEqual(
      new Map([
        [null, 1],
        ["migration", 3],
      ]),
    )
    expect((await report("profile")).map(({ keys }) => keys.profile)).toContain("explore")
    const runs = await Promise.all(["s1", "s2"].map((sessionId) => store.usage.total({ sessionId })))
    const sum = runs.reduce((total, { costMicroUsd }) => total + (costMicroUsd ?? 0), 0)
    expect(await report()).toMatchObject([{ costMicroUsd: sum, calls: 4 }])
    expect(await store.usage.report({ groupBy: [], limit: 1, fromMs: may + 1, toMs: now })).toMatchObject([
      { calls: 2, costMicroUsd: 2_000_000_007 },
    ])
    expect(await store.usage.report({ groupBy: [], limit: 1, fromMs: now })).toEqual([])
  })

  test("usage and its caller remain when a session is erased, and its label does not", async () => {
    const store = await openTestStore({ now: () => may })
    await store.sessions.create(newSession("s1", { label: "secret", caller: "http:ci" }))
    await store.usage.put(usageEntry())
    await store.sessions.erase("s1")
    expect(await store.usage.report({ groupBy: ["label", "caller"], limit: 9 })).toMatchObject([
      { keys: { label: null, caller: "http:ci" }, costMicroUsd: 100 },
    ])
  })

  test("a caller with limits of its own is refused when its trees reach them, and no other caller is", async () => {
    let now = may
    const store = await openTestStore({ now: () => now })
    await store.sessions.create(newSession("s1", { caller: "http:ci" }))
    await store.sessions.create(newSession("s2", { parentId: "s1", rootId: "s1", depth: 1 }))
    await store.sessions.create(newSession("s3", { caller: "http:other" }))
    const none = { microUsd: null, tokens: null }
    const ci = { caller: await store.usage.callerOf("s2"), caps: { microUsd: 1_000, tokens: null } }
    expect(ci.caller).toBe("http:ci")
    const call = { sessionId: "s2", runId: "r2", step: 1, microUsd: 600, tokens: 1 }
    await store.usage.put(usageEntry({ costMicroUsd: 300 }))
    await store.usage.put(usageEntry({ sessionId: "s3", runId: "r3", costMicroUsd: 5_000 }))
    expect(await store.dailyUsage.reserve(call, none, ci)).toMatchObject({ isReserved: true })
    expect(await store.dailyUsage.reserve({ ...call, sessionId: "s1", runId: "r1" }, none, ci)).toMatchObject({
      isReserved: false,
      exceeded: { caller: "http:ci", unit: "microUsd", cap: 1_000, used: 300, reserved: 600, call: 600 },
    })
    now += hourMs
    expect(await store.dailyUsage.reserve({ ...call, step: 2 }, none, ci)).toMatchObject({ isReserved: true })
  })
})
