import { describe, expect, it, vi } from "vitest"
import { requireOwnEngine } from "../../../activities/require-own-engine.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

const guarded = (problem?: AdjutantError) => {
  const verifyFromTimeToTime = vi.fn<() => Promise<void>>(async () => {
    if (problem !== undefined) throw problem
  })
  const engine = { verifyFromTimeToTime } as unknown as Parameters<typeof requireOwnEngine>[0]["engine"]
  return { engine, verifyFromTimeToTime }
}

describe("an activity of a worker", () => {
  it("is refused if another engine answers", async () => {
    const other = new AdjutantError("engine_mismatch", "another one answers")
    await expect(requireOwnEngine(guarded(other), "callModel")).rejects.toBe(other)
  })

  it("runs if the engine does not answer", async () => {
    await requireOwnEngine(guarded(new AdjutantError("temporal_unavailable", "away")), "callModel")
  })

  it("is a pass of the reconciler: compares the engines itself", async () => {
    const { engine, verifyFromTimeToTime } = guarded()
    await requireOwnEngine({ engine }, "reconcileSessions")
    expect(verifyFromTimeToTime).toHaveBeenCalledTimes(0)
  })
})
