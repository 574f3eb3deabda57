import fc from "fast-check"
import { expect, test } from "vitest"
import { storeWithSession, testEachDatabase } from "../../store-fixture.ts"

testEachDatabase(() => {
  test("a run is created once, pending, and keeps its times", async () => {
    const store = await storeWithSession({ now: () => 0 })
    const run = { runId: "r1", sessionId: "s1", snapshotHash: "h" }
    await store.runs.create(run)
    await store.runs.create({ ...run, snapshotHash: "other" })
    expect(await store.runs.get("r1")).toEqual({
      ...run,
      status: "pending",
      stopReason: null,
      finalMessage: null,
      error: null,
      stepsTaken: 0,
      createdAt: "1970-01-01T00:00:00.000Z",
      startedAt: null,
      finishedAt: null,
      reopened: 0,
      spending: null,
      number: 1,
    })
    expect(await store.runs.patch("r1", { status: "running", startedAt: "2026-01-01T00:00:00.000Z" })).toBe(true)
    expect(await store.runs.patch("r1", { status: "completed", finalMessage: "ok", stepsTaken: 3 })).toBe(true)
    expect(await store.runs.get("r1")).toMatchObject({
      status: "completed",
      finalMessage: "ok",
      stepsTaken: 3,
      startedAt: "2026-01-01T00:00:00.000Z",
      finishedAt: "1970-01-01T00:00:00.000Z",
    })
    expect(await store.runs.patch("unknown", { status: "failed" })).toBe(false)
  })

  test("latest is the run that was created last", async () => {
    const store = await storeWithSession()
    expect(await store.runs.latest("s1")).toBeUndefined()
    for (const runId of ["zz", "aa", "mm"]) await store.runs.create({ runId, sessionId: "s1", snapshotHash: "h" })
    expect((await store.runs.latest("s1"))?.runId).toBe("mm")
    expect((await store.runs.list("s1")).map((run) => run.runId)).toEqual(["zz", "aa", "mm"])
  })

  test("the end of a run leaves the session as it is when that shows the next run", async () => {
    const store = await storeWithSession()
    const end = { status: "completed", stopReason: "completed", finalMessage: "First." } as const
    for (const runId of ["r1", "r2"]) await store.runs.create({ runId, sessionId: "s1", snapshotHash: "h" })
    await store.sessions.patch("s1", { runId: "r2", status: "running", finalMessage: null })
    expect(await store.runs.patchWithSession({ sessionId: "s1", runId: "r1", run: end, session: end })).toBe(false)
    expect(await store.runs.get("r1")).toMatchObject(end)
    expect(await store.sessions.get("s1")).toMatchObject({ runId: "r2", status: "running", finalMessage: null })
    expect(await store.runs.patchWithSession({ sessionId: "s1", runId: "r2", run: end, session: end })).toBe(true)
    expect(await store.sessions.get("s1")).toMatchObject({ runId: "r2", ...end })
  })

  test("a terminal status never changes", async () => {
    const store = await storeWithSession()
    const terminal = ["completed", "failed", "cancelled", "timed_out"] as const
    const statuses = fc.array(fc.constantFrom("running", "paused", ...terminal), { minLength: 1, maxLength: 10 })
    let count = 0
    await fc.assert(
      fc.asyncProperty(statuses, async (sequence) => {
        const runId = `run${++count}`
        await store.runs.create({ runId, sessionId: "s1", snapshotHash: "h" })
        let final: string | undefined
        for (const status of sequence) {
          expect(await store.runs.patch(runId, { status, finalMessage: status })).toBe(final === undefined)
          if (terminal.some((each) => each === status)) final ??= status
        }
        const last = final ?? sequence.at(-1)
        expect(await store.runs.get(runId)).toMatchObject({ status: last, finalMessage: last })
      }),
      { numRuns: 25 },
    )
  })
})
