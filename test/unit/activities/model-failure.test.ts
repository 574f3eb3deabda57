import { MockActivityEnvironment } from "@temporalio/testing"
import { describe, expect, it } from "vitest"
import { modelFailure } from "../../../activities/model/model-failure.ts"
import { runTimingSchema } from "../../../contracts/config/timing.ts"
import { ModelError } from "../../../models/model-error.ts"

const timing = runTimingSchema.parse({ modelRetryMaxMs: 60_000, modelRetryAfterMaxMs: 600_000 })

const delayMs = (options: { readonly retryAfterMs?: number }, attempt = 1, failedAttempts = 0) =>
  new MockActivityEnvironment({ attempt }).run(async () => {
    const error = new ModelError("retry", "the provider answers 429", options)
    return await Promise.resolve(modelFailure(error, timing, failedAttempts).nextRetryDelay)
  })

describe("the wait before the next attempt of a model call", () => {
  it("is the provider's, up to a limit", async () => {
    expect(await delayMs({ retryAfterMs: 90_000 })).toBe(90_000)
    expect(await delayMs({ retryAfterMs: 86_400_000 })).toBe(600_000)
  })

  it("doubles up to its own limit where the provider names none", async () => {
    expect(await delayMs({}, 3)).toBe(4_000)
    expect(await delayMs({}, 30)).toBe(60_000)
  })

  it("continues to grow after attempts that failed in earlier activities", async () => {
    expect(await delayMs({}, 1, 2)).toBe(4_000)
  })
})
