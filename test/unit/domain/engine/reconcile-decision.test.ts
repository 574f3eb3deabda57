import { describe, expect, it } from "vitest"
import { type EngineStatus, reconcileDecision } from "../../../../domain/engine/reconcile-decision.ts"
import type { Status } from "../../../../contracts/status.ts"

const engines = ["running", "completed", "failed", "cancelled", "terminated", "timed_out", "not_found"] as const
const decide = (rowStatus: Status, engine: EngineStatus, rowAgeMs = 1_000_000) =>
  reconcileDecision({ rowStatus, engine, rowAgeMs, startGraceMs: 30_000 })

describe("reconcileDecision", () => {
  it.each(["completed", "failed", "cancelled", "timed_out"] as const)("never changes a %s row", (rowStatus) => {
    for (const engine of engines) expect(decide(rowStatus, engine)).toBeUndefined()
  })

  it.each(["pending", "running", "paused"] as const)(
    "does not change a %s row while its execution runs",
    (rowStatus) => {
      expect(decide(rowStatus, "running")).toBeUndefined()
    },
  )

  it.each([
    ["terminated", "failed", "terminated"],
    ["not_found", "failed", "terminated"],
    ["timed_out", "timed_out", "timeout"],
    ["cancelled", "cancelled", "cancelled"],
    ["failed", "failed", "error"],
    ["completed", "failed", "error"],
  ] as const)("for an open row and %s returns %s with %s", (engine, status, stopReason) => {
    for (const rowStatus of ["running", "paused"] as const)
      expect(decide(rowStatus, engine)).toMatchObject({ status, stopReason, error: { code: stopReason } })
  })

  it("waits for a start that is under way, even if an earlier execution has ended", () => {
    for (const engine of engines) expect(decide("pending", engine, 29_999)).toBeUndefined()
    expect(decide("running", "not_found", 29_999)).toBeUndefined()
    expect(decide("running", "terminated", 0)).toMatchObject({ stopReason: "terminated" })
  })

  it("does not wait for a first run whose execution is closed", () => {
    const facts = { rowStatus: "pending", rowAgeMs: 0, startGraceMs: 30_000, isFirstRun: true } as const
    expect(reconcileDecision({ ...facts, engine: "terminated" })).toMatchObject({ stopReason: "terminated" })
    expect(reconcileDecision({ ...facts, engine: "not_found" })).toBeUndefined()
  })
})
