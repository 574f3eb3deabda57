import { WorkflowNotFoundError } from "@temporalio/client"
import { MockActivityEnvironment } from "@temporalio/testing"
import { describe, expect, it, vi } from "vitest"
import { requireOwnEngine } from "../../../activities/require-own-engine.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

const own = { workflowId: "subagent/a", runId: "own" }

/** An engine that answers a comparison with a problem, and has an execution of the session. */
const guarded = (problem?: AdjutantError, runId: string | undefined = own.runId) => {
  const answer = async (): Promise<void> => {
    if (problem !== undefined) throw problem
  }
  const [verify, verifyFromTimeToTime] = [vi.fn<() => Promise<void>>(answer), vi.fn<() => Promise<void>>(answer)]
  const temporal = {
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
    workflow: {
      getHandle: (workflowId: string) => ({
        describe: async () => {
          if (runId === "") throw new WorkflowNotFoundError("not found", workflowId, undefined)
          return { status: { name: "RUNNING" }, runId }
        },
      }),
    },
  }
  const deps = { engine: { verify, verifyFromTimeToTime }, temporal }
  return { verify, verifyFromTimeToTime, ...(deps as unknown as Parameters<typeof requireOwnEngine>[0]) }
}

/** Asks as an activity of the execution does. */
const require = (deps: Parameters<typeof requireOwnEngine>[0], name: string): Promise<void> =>
  new MockActivityEnvironment({ workflowExecution: own }).run(() => requireOwnEngine(deps, name))

describe("an activity of a worker", () => {
  it.each(["callModel", "openRun"])("%s is refused if another engine answers", async (name) => {
    const other = new AdjutantError("engine_mismatch", "another one answers")
    await expect(require(guarded(other), name)).rejects.toBe(other)
  })

  it("runs if the engine does not answer, unless it begins a run", async () => {
    const away = new AdjutantError("temporal_unavailable", "away")
    await require(guarded(away), "callModel")
    await expect(require(guarded(away), "openRun")).rejects.toBe(away)
  })

  it.each([
    ["has no execution of its session", ""],
    ["has another one", "another"],
  ])("begins no run if another engine began its execution: the right one, which is back, %s", async (_, runId) => {
    await expect(require(guarded(undefined, runId), "openRun")).rejects.toMatchObject({ code: "engine_mismatch" })
    await require(guarded(undefined, runId), "callModel")
  })

  it("compares the engines each time that it begins a run, and otherwise from time to time", async () => {
    const deps = guarded()
    await require(deps, "callModel")
    expect(deps.verify).toHaveBeenCalledTimes(0)
    await require(deps, "openRun")
    await require(deps, "openRun")
    expect(deps.verify).toHaveBeenCalledTimes(2)
  })

  it("is a pass of the reconciler: compares the engines itself", async () => {
    const deps = guarded()
    await require(deps, "reconcileSessions")
    expect(deps.verifyFromTimeToTime).toHaveBeenCalledTimes(0)
  })
})
