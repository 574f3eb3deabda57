import { expect, it } from "vitest"
import { defaultAnswerLimits } from "../../../mcp/answer-limits.ts"

it("a call is answered within 50 s by default, and within 280 s if its client asks for progress", () => {
  expect(defaultAnswerLimits.plainMs).toBeLessThan(50_000)
  expect(defaultAnswerLimits.progressMs).toBeLessThan(280_000)
})
