import { describe, expect, it } from "vitest"
import type { EngineExecution } from "../../../../engine/describe-execution.ts"
import { isOrphan } from "../../../../activities/reconcile/stop-orphan.ts"

const execution = (over: Partial<EngineExecution> = {}): EngineExecution => ({
  status: "running",
  closedAtMs: null,
  runId: "run-1",
  parentWorkflowId: null,
  children: new Map(),
  ...over,
})

const child = execution({ parentWorkflowId: "subagent/parent", runId: "child-run" })
const isLost = (parent: EngineExecution | undefined, of = child): Promise<boolean> =>
  isOrphan("subagent/child", of, async () => parent)
const parentWith = (runId: string) => execution({ children: new Map([["subagent/child", runId]]) })

describe("an open child", () => {
  it("belongs to a running parent that counts it among its children, even before the engine knows its run", async () => {
    expect(await isLost(parentWith("child-run"))).toBe(false)
    expect(await isLost(parentWith(""))).toBe(false)
  })

  it("belongs to the parent that started it, also after it has continued as new", async () => {
    expect(await isLost(parentWith("first-run"), { ...child, firstRunId: "first-run" })).toBe(false)
    expect(await isLost(parentWith("later-run"), { ...child, firstRunId: "first-run" })).toBe(true)
  })

  it("is orphaned if its parent runs without it, runs another child in its place, or has ended", async () => {
    expect(await isLost(execution())).toBe(true)
    expect(await isLost(parentWith("later-run"))).toBe(true)
    expect(await isLost(execution({ status: "terminated" }))).toBe(true)
    expect(await isLost(execution({ status: "not_found" }))).toBe(true)
  })

  it("is left alone while the engine does not answer for its parent", async () => {
    expect(await isLost(undefined)).toBe(false)
  })

  it("is not an orphan if no execution started it, or if it has ended itself", async () => {
    expect(await isLost(execution(), execution())).toBe(false)
    expect(await isLost(execution(), { ...child, status: "completed" })).toBe(false)
  })
})
