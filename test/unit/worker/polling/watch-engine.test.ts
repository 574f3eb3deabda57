import { describe, expect, it, vi } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { RememberedEngine } from "../../../../domain/engine/engine-identity.ts"
import { watchEngine } from "../../../../worker/polling/watch-engine.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const remembered: RememberedEngine = {
  namespaceId: "id-1",
  namespace: "default",
  address: "here",
  claimId: "c",
  since: "",
  scheduleCreatedAt: null,
}

/** A watch over an engine that answers as told. */
const watched = (toleranceMs: number) => {
  const problem: { present?: AdjutantError } = {}
  const verify = vi.fn<() => Promise<RememberedEngine>>(async () => {
    if (problem.present !== undefined) throw problem.present
    return remembered
  })
  const error = vi.fn<() => void>()
  const info = vi.fn<() => void>()
  const timing = { engineCheckMs: 1 }
  const watch = watchEngine({ engine: { verify }, timing, toleranceMs, logger: { error, info } })
  return { watch, verify, error, info, problem }
}

const other = new AdjutantError("engine_mismatch", "another one answers")

describe("a worker's watch over its engine", () => {
  it("stops the worker if another engine answers for longer than the tolerated time", async () => {
    const { watch, problem, error } = watched(5)
    problem.present = other
    await expect(watch.failed).rejects.toBe(other)
    expect(error).toHaveBeenCalledTimes(1)
    watch.stop()
  })

  it("logs once, and continues if the right engine is back in time", async () => {
    const { watch, problem, error, info } = watched(60_000)
    problem.present = other
    await untilPasses(() => expect(error).toHaveBeenCalledTimes(1))
    problem.present = undefined
    await untilPasses(() => expect(info).toHaveBeenCalledTimes(1))
    watch.stop()
  })

  it("leaves an engine that does not answer to the worker itself", async () => {
    const { watch, problem, verify, error } = watched(1)
    problem.present = new AdjutantError("temporal_unavailable", "away")
    await untilPasses(() => expect(verify.mock.calls.length).toBeGreaterThan(5))
    expect(error).not.toHaveBeenCalled()
    watch.stop()
  })
})
