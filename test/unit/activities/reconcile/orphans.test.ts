import { describe, expect, it } from "vitest"
import { type ReconcilerRig, reconcilerRig } from "./reconciler-rig.ts"

const family = async (): Promise<ReconcilerRig> => {
  const rig = await reconcilerRig()
  await rig.put("parent", "running")
  await rig.put("child", "running", { parentId: "parent", rootId: "parent", depth: 1 })
  const parent = { workflowId: "subagent/parent", runId: rig.execution("parent").runId }
  rig.execution("child").parent = parent
  rig.execution("parent").children = [{ workflowId: "subagent/child", runId: rig.execution("child").runId }]
  return rig
}

/** The parent's current execution does not list the child among its children. */
const reset = (rig: ReconcilerRig): void => {
  rig.execution("parent").runId = "after the reset"
  rig.execution("parent").children = []
}

describe("a child whose parent was reset to before its spawn", () => {
  it("is cancelled when two passes agree, and not by the first", async () => {
    const rig = await family()
    expect(await rig.pass()).toMatchObject({ orphans: 0, suspects: 0 })
    reset(rig)
    expect(await rig.pass()).toMatchObject({ orphans: 0, suspects: 1 })
    expect(rig.asked.cancelled).toEqual([])
    expect(await rig.pass()).toMatchObject({ orphans: 1, suspects: 0 })
    expect(rig.asked.cancelled).toEqual(["subagent/child"])
  })

  it("is kept if the parent lists it again, and later counts from the beginning", async () => {
    const rig = await family()
    const { runId } = rig.execution("parent")
    const children = rig.execution("parent").children ?? []
    reset(rig)
    expect(await rig.pass()).toMatchObject({ suspects: 1 })
    Object.assign(rig.execution("parent"), { runId, children })
    expect(await rig.pass()).toMatchObject({ orphans: 0, suspects: 0 })
    reset(rig)
    expect(await rig.pass()).toMatchObject({ orphans: 0, suspects: 1 })
    expect(rig.asked.cancelled).toEqual([])
  })

  it("is described again right before the cancel: a parent that lists it by then keeps it", async () => {
    const rig = await family()
    const children = rig.execution("parent").children ?? []
    reset(rig)
    await rig.pass()
    // The engine's lists are behind: in them, the child has no parent yet.
    rig.execution("parent").children = children
    expect(await rig.pass()).toMatchObject({ orphans: 0, suspects: 0 })
    expect(rig.asked.cancelled).toEqual([])
  })

  it("is only listed by a dry run", async () => {
    const rig = await family()
    reset(rig)
    await rig.pass()
    const planned = [{ job: "orphans", id: "child", action: "cancel" }]
    expect(await rig.pass({ dryRun: true })).toMatchObject({ orphans: 1, planned })
    expect(rig.asked.cancelled).toEqual([])
  })
})

it("the pass describes a parent of many children once per page, not once per child", async () => {
  const rig = await family()
  for (let index = 0; index < 60; index += 1) {
    const id = `kid${String(index).padStart(3, "0")}`
    await rig.put(id, "running", { parentId: "parent", rootId: "parent", depth: 1 })
    rig.execution(id).parent = { workflowId: "subagent/parent", runId: rig.execution("parent").runId }
  }
  rig.asked.describes = []
  expect(await rig.pass({ jobs: ["orphans"] })).toMatchObject({ orphans: 0, suspects: 0 })
  expect(rig.asked.describes).toEqual(["subagent/parent"])
})
