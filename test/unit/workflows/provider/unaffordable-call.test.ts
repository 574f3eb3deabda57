import { afterAll, describe, expect, it, vi } from "vitest"
import { fallbackFor } from "../../../../domain/run/model-fallback.ts"
import { newRun } from "../../../../domain/session/session-state.ts"
import type { SessionContext } from "../../../../workflows/session/session-context.ts"

vi.mock("@temporalio/workflow", async (original) => ({
  ...(await original<object>()),
  patched: () => true,
}))

// The test files of a worker share their modules: with the mock they are loaded again, before and after it.
vi.resetModules()
const { noteUnaffordable } = await import("../../../../workflows/provider/fall-back.ts")
afterAll(() => vi.resetModules())

const failure = { code: "provider_error", reason: "overloaded", needsWorkingKey: false, retryAfterMs: null }
const outage = { sinceMs: 1, nextAtMs: 2, tries: 3, code: "provider_error", reason: "overloaded", model: "main" }
const rateLimit = { since: "2026-11-26T09:00:00.000Z", nextAtMs: 5, model: "main", failedAttempts: 1 }

/** A run that waited for its provider's rate limit. */
const contextOf = (run: Partial<SessionContext["state"]["run"]>): SessionContext => {
  const timing = { providerRetryInitialMs: 1_000, providerRetryMaxMs: 1_000, providerPauseSeconds: 60 }
  const settings = { model: "main", fallbacks: { main: ["second"] }, timing }
  const state = {
    modelOverride: null,
    run: { ...newRun({ run_id: "r1" } as never), rateLimit, ...run },
  }
  return { state, settings, parentSessionId: null } as unknown as SessionContext
}

describe("a call that the budget does not cover", () => {
  it("pauses or ends a run on its own model, which waits for no provider then", () => {
    const context = contextOf({ outage })
    noteUnaffordable(context, "the day is used up")
    const { run } = context.state
    expect(run).toMatchObject({ budgetExhausted: true, budgetReason: "the day is used up" })
    expect([run.outage, run.rateLimit]).toEqual([null, null])
  })

  it("leaves the wait to the run's own model if it was one of the last fallback model", () => {
    const fallback = { ...fallbackFor(null, "main"), model: "second", failed: ["main"], failure }
    const context = contextOf({ fallback })
    noteUnaffordable(context, undefined)
    const { run } = context.state
    expect(run).toMatchObject({ budgetExhausted: false, outage: { model: "main", tries: 1 } })
    // The session is shown as waiting for the limit until a call starts.
    expect(run.rateLimit).toMatchObject({ since: rateLimit.since })
  })
})
