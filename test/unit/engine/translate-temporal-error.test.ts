import { WorkflowNotFoundError } from "@temporalio/client"
import { NamespaceNotFoundError } from "@temporalio/common"
import { describe, expect, it } from "vitest"
import { isTransientEngineError, translateTemporalError } from "../../../engine/translate-temporal-error.ts"
import { grpcError, refusal } from "../client/fake-temporal.ts"

describe("translateTemporalError", () => {
  it.each([
    [14, /TEMPORAL_ADDRESS/],
    [4, /does not answer/],
    [7, /TEMPORAL_API_KEY/],
    [16, /TEMPORAL_API_KEY/],
    [8, /limiting/],
  ])("says what to do about gRPC code %i", (code, text) => {
    expect(translateTemporalError(new Error("wrapped", { cause: grpcError(code) }))).toMatchObject({
      code: "temporal_unavailable",
      message: expect.stringMatching(text),
    })
  })

  it("names a namespace that does not exist", () => {
    expect(translateTemporalError(new NamespaceNotFoundError("prod"))).toMatchObject({
      code: "temporal_unavailable",
      message: expect.stringContaining("prod"),
    })
  })

  it("keeps the workflow's code, and ignores an unknown code", () => {
    expect(translateTemporalError(refusal("checkpoint_stale", "over"))).toMatchObject({ code: "checkpoint_stale" })
    expect(translateTemporalError(refusal("nonsense" as "forbidden", "over"))).toMatchObject({ code: "internal_error" })
  })

  it("does not change an error that is not a connection failure", () => {
    const gone = new WorkflowNotFoundError("gone", "subagent/a", undefined)
    const bug = new TypeError("bug")
    expect(translateTemporalError(gone)).toBe(gone)
    expect(translateTemporalError(bug)).toBe(bug)
  })

  it("retries only errors that can pass", () => {
    expect([14, 8, 10].map((code) => isTransientEngineError(grpcError(code)))).toEqual([true, true, true])
    expect([3, 4, 5, 7].map((code) => isTransientEngineError(grpcError(code)))).toEqual([false, false, false, false])
  })
})
