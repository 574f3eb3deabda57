import { describe, expect, it, vi } from "vitest"
import { requireOwnEngine } from "../../../activities/require-own-engine.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

const guarded = (problem?: AdjutantError) => {
  const answer = async (): Promise<void> => {
    if (problem !== undefined) throw problem
  }
  const [verify, verifyFromTimeToTime] = [vi.fn<() => Promise<void>>(answer), vi.fn<() => Promise<void>>(answer)]
  const engine = { verify, verifyFromTimeToTime } as unknown as Parameters<typeof requireOwnEngine>[0]["engine"]
  return { engine, verify, verifyFromTimeToTime }
}

describe("an activity of a worker", () => {
  it("is refused if another engine answers", async () => {
    const other = new AdjutantError("engine_mismatch", "another one answers")
    await expect(requireOwnEngine(guarded(other), "callModel")).rejects.toBe(other)
  })

  it.each(["callModel", "openRun"])("%s runs if the engine does not answer", async (name) => {
    await requireOwnEngine(guarded(new AdjutantError("temporal_unavailable", "away")), name)
  })

  it("compares the engines each time that it begins a run, and otherwise from time to time", async () => {
    const { engine, verify } = guarded()
    await requireOwnEngine({ engine }, "callModel")
    expect(verify).toHaveBeenCalledTimes(0)
    await requireOwnEngine({ engine }, "openRun")
    await requireOwnEngine({ engine }, "openRun")
    expect(verify).toHaveBeenCalledTimes(2)
  })

  it("is a pass of the reconciler: compares the engines itself", async () => {
    const { engine, verifyFromTimeToTime } = guarded()
    await requireOwnEngine({ engine }, "reconcileSessions")
    expect(verifyFromTimeToTime).toHaveBeenCalledTimes(0)
  })
})
