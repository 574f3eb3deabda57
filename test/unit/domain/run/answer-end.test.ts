import { describe, expect, it } from "vitest"
import { endProblem } from "../../../../domain/run/answer-end.ts"
import { noTokens } from "../../../../domain/limits/usage-totals.ts"

describe("endProblem", () => {
  it("says where a call was cut, and to write less", () => {
    const problem = endProblem({ stop: "max_tokens", usage: { ...noTokens, outputTokens: 16_384 } })
    expect(problem).toContain("cut at 16384 output tokens")
    expect(problem).toContain("Write less per call")
  })

  it("says nothing about an answer that the model ended", () => {
    expect(endProblem({ stop: "tool_calls", usage: noTokens })).toBeUndefined()
  })
})
