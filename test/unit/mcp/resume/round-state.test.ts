import { expect, it } from "vitest"
import { readRoundState } from "../../../../mcp/resume/round-state.ts"

it("takes a state between rounds that nests 200,000 levels deep for no state", () => {
  const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
  expect(readRoundState(`{"sessionId":"a","dismissed":${nested}}`)).toEqual({ dismissed: [], late: [], rounds: 0 })
  expect(readRoundState(`{"sessionId":"a","more":${nested}}`)).toEqual({ dismissed: [], late: [], rounds: 0 })
})
