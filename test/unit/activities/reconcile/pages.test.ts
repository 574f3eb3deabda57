import { describe, expect, it } from "vitest"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { type ReconcilerRig, reconcilerRig, sessionIds } from "./reconciler-rig.ts"

const putPaused = async (rig: ReconcilerRig, count: number): Promise<readonly string[]> => {
  const ids = sessionIds(count)
  await rig.putAll(ids, "paused")
  return ids
}

/** Small pages, which are still long enough that the engine lists them: a few sessions are described one by one. */
const pageSize = 30

describe("a pass over many sessions", () => {
  it("reads pages of 500", async () => {
    const rig = await reconcilerRig()
    const limits: number[] = []
    rig.hooks.store = (method, args) => {
      if (method === "sessions.listOpen") limits.push((JSON.parse(args) as [{ readonly limit: number }])[0].limit)
    }
    await rig.pass({ jobs: ["outcomes"] })
    expect(limits).toEqual([500])
  })

  it("lists each page with one request, and describes only sessions that are not listed", async () => {
    const rig = await reconcilerRig({ pageSize })
    await putPaused(rig, 88)
    rig.execution("s00070").status = "TERMINATED"
    expect(await rig.pass({ jobs: ["outcomes"] })).toMatchObject({ checked: 88, mended: 1, failed: [] })
    expect(rig.asked.lists).toBe(3)
    expect(new Set(rig.asked.describes)).toEqual(new Set(["subagent/s00070"]))
    expect(await rig.statusOf("s00070")).toBe("failed")
    expect(await rig.store.reconciler.cursor("outcomes")).toBe("")
  })

  it("continues at the page where the last one was interrupted, and then checks the rows before it", async () => {
    const rig = await reconcilerRig({ pageSize })
    await putPaused(rig, 88)
    rig.execution("s00003").status = "TERMINATED"
    rig.execution("s00070").status = "TERMINATED"
    rig.hooks.list = (query) => {
      if (query.includes('"subagent/s00055"')) throw new Error("the worker stops here")
    }
    expect(await rig.pass()).toMatchObject({ mended: 0, failed: ["outcomes"] })
    expect(await rig.store.reconciler.cursor("outcomes")).toBe("s00029")
    const pages: string[] = []
    rig.hooks.list = (query) => void pages.push(/s\d+/.exec(query)?.[0] ?? "")
    expect(await rig.pass({ jobs: ["outcomes"] })).toMatchObject({ checked: 88, mended: 2, failed: [] })
    expect(pages).toEqual(["s00030", "s00060", "s00000"])
    expect(await rig.store.reconciler.cursor("outcomes")).toBe("")
  })
})

describe("a row that fails", () => {
  it("does not keep the others from being checked", async () => {
    const rig = await reconcilerRig()
    const ids = await putPaused(rig, 3)
    for (const id of ids) rig.execution(id).status = "TERMINATED"
    rig.hooks.store = (method, args) => {
      if (method === "runs.list" && args.includes("s00001")) throw new Error("this row cannot be read")
    }
    expect(await rig.pass()).toMatchObject({ checked: 3, mended: 2, failed: [] })
    expect(await Promise.all(ids.map(rig.statusOf))).toEqual(["failed", "paused", "failed"])
  })

  it("does not stop archiving if its settings are missing", async () => {
    const rig = await reconcilerRig()
    const snapshotHash = await rig.store.snapshots.put(baseSnapshot)
    const child = { parentId: "p", rootId: "p", depth: 1, internal: { cleanup: "delete" } }
    for (const id of ["a", "c"]) await rig.put(id, "completed", { ...child, snapshotHash })
    await rig.put("b", "completed", child)
    const { archived, failed } = await rig.pass()
    const rows = (await rig.store.sessions.list({ includeArchived: true })).items
    const kept = rows.filter(({ archivedAt }) => archivedAt === null).map(({ id }) => id)
    expect({ archived, failed, kept }).toEqual({ archived: 2, failed: [], kept: ["b"] })
  })
})

describe("a session that was terminated", () => {
  it("is not ended if someone resets it before its outcome is recorded", async () => {
    const rig = await reconcilerRig()
    const [reset = "", ended = ""] = await putPaused(rig, 2)
    for (const id of [reset, ended]) rig.execution(id).status = "TERMINATED"
    // All sessions have been described by then.
    rig.hooks.store = (method) => {
      if (method === "missing.count")
        rig.executions.set(`subagent/${reset}`, { status: "RUNNING", runId: "after reset" })
    }
    expect(await rig.pass({ jobs: ["outcomes"] })).toMatchObject({ checked: 2, mended: 1, failed: [] })
    expect([await rig.statusOf(reset), await rig.statusOf(ended)]).toEqual(["paused", "failed"])
  })
})

describe("a job that fails", () => {
  it("does not keep the others from running", async () => {
    const rig = await reconcilerRig()
    await putPaused(rig, 1)
    rig.execution("s00000").status = "TERMINATED"
    rig.hooks.store = (method) => {
      if (method === "bindings.list" || method === "missing.listEnded") throw new Error("this job fails")
    }
    expect(await rig.pass()).toMatchObject({ mended: 1, failed: ["bindings", "archive"] })
  })
})

describe("a dry run", () => {
  it("lists what each job would do, and writes nothing", async () => {
    const rig = await reconcilerRig()
    await putPaused(rig, 2)
    rig.execution("s00001").status = "TERMINATED"
    await rig.put("gone", "completed")
    await rig.store.sessions.markDeleted("gone")
    await rig.store.sessions.patch("s00000", { title: "kept" })
    const written: string[] = []
    rig.hooks.store = (method) => {
      if (!/\.(get|list\w*|read|count|current|cursor)$/.test(method)) written.push(method)
    }
    rig.executions.set("subagent/gone", { status: "TERMINATED", runId: "x" })
    expect(await rig.pass({ dryRun: true })).toMatchObject({
      mended: 1,
      planned: [{ job: "outcomes", id: "s00001", action: "record terminated" }],
    })
    expect(written).toEqual([])
    expect(await rig.statusOf("s00001")).toBe("paused")
  })
})
