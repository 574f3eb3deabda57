import { expect, it } from "vitest"
import { codecProblem } from "../../../config/codec-problem.ts"

it("names the variables of a codec that is not used", () => {
  expect(codecProblem({})).toBeUndefined()
  expect(codecProblem({ TEMPORAL_CODEC_ENDPOINT: " " })).toBeUndefined()
  expect(codecProblem({ TEMPORAL_CODEC_ENDPOINT: "http://codec" })).toMatch(/^TEMPORAL_CODEC_ENDPOINT is set, but/)
  expect(codecProblem({ TEMPORAL_CODEC_ENDPOINT: "http://codec", TEMPORAL_CODEC_AUTH: "x" })).toMatch(
    /^TEMPORAL_CODEC_ENDPOINT and TEMPORAL_CODEC_AUTH are set/,
  )
})
