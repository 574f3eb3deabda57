import { describe, expect, it } from "vitest"
import { exitCodeOfError, exitCodeOfOutcome, exitCodeOfSignal } from "../../../../cli/terminal/exit-code.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { completed, failed, paused } from "../stub-environment.ts"

describe("exit codes", () => {
  it("follow from the outcome, the error table and the signal", () => {
    expect([completed, failed, paused].map(exitCodeOfOutcome)).toEqual([0, 1, 10])
    expect(exitCodeOfError(new AdjutantError("checkpoint_stale", ""))).toBe(2)
    expect(exitCodeOfError(new AdjutantError("temporal_unavailable", ""))).toBe(1)
    expect(exitCodeOfError(new TypeError("bug"))).toBe(1)
    expect((["SIGHUP", "SIGINT", "SIGTERM"] as const).map(exitCodeOfSignal)).toEqual([129, 130, 143])
  })
})
