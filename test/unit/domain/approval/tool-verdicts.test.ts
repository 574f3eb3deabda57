import { describe, expect, it } from "vitest"
import { leftOutText } from "../../../../domain/approval/tool-verdicts.ts"

describe("the warning that Bash is left out", () => {
  const missing = "bubblewrap is not installed (the program bwrap, package bubblewrap)"
  const reasons = `${missing}; sandbox-runtime needs bubblewrap, which is not installed (the program bwrap, package bubblewrap)`

  it("says what is missing, what that means and what to do, in one sentence", () => {
    expect(leftOutText(reasons)).toBe(
      `no sandbox works here, so Bash is left out of runs that ask nobody: ${missing}; run "adjutant doctor", or start the run as unconfined`,
    )
    expect(leftOutText(reasons, true)).toBe(
      `no sandbox works here, so Bash is left out of this run, which demands one: ${missing}; run "adjutant doctor" to see what it needs`,
    )
    expect(leftOutText(undefined)).toContain(": none is available; run")
  })

  it("stays short if a sandbox failed with a long text", () => {
    expect(leftOutText(`bubblewrap does not work here: ${"x".repeat(2_000)}`).length).toBeLessThan(350)
  })
})
