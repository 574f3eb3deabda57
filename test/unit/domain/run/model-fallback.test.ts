import { describe, expect, it } from "vitest"
import {
  activeFallback,
  afterAnswer,
  afterFailure,
  fallbackFor,
  isStepRetaken,
} from "../../../../domain/run/model-fallback.ts"

const failure = { code: "provider_error", reason: "overloaded", needsWorkingKey: false, retryAfterMs: null }
const fallbacks = ["second", "third"]

describe("the model of a run's next step", () => {
  it("is the next one that has not failed since the last answer, and then the primary model after a wait", () => {
    const first = afterFailure(fallbackFor(null, "main"), { failure, fallbacks })
    expect(first).toMatchObject({ isExhausted: false, state: { model: "second", failed: ["main"], failure } })
    expect(isStepRetaken(first.state)).toBe(true)
    const second = afterFailure(first.state, { failure, fallbacks })
    expect(second.state.model).toBe("third")
    const last = afterFailure(second.state, { failure, fallbacks })
    expect(last).toMatchObject({ isExhausted: true, state: { model: "main", failed: [], failure } })
  })

  it("is the primary model first when a fallback model fails after it has answered", () => {
    const { state } = afterFailure(fallbackFor(null, "main"), { failure, fallbacks })
    const answered = afterAnswer(state)
    expect(answered).toMatchObject({ model: "second", failed: [], worked: ["second"] })
    expect(afterAnswer(answered)).toBe(answered)
    const { state: next } = afterFailure(answered, { failure, fallbacks })
    expect(next.model).toBe("main")
  })

  it("is never one that was refused", () => {
    const { state } = afterFailure(fallbackFor(null, "main"), { failure, fallbacks })
    const refused = afterFailure(state, { failure: undefined, fallbacks })
    expect(refused.state).toMatchObject({ model: "third", refused: ["second"], failure })
    const answered = afterAnswer(refused.state)
    const again = afterFailure(afterFailure(answered, { failure, fallbacks }).state, { failure, fallbacks })
    expect(again).toMatchObject({ isExhausted: true, state: { model: "main" } })
  })

  it("starts over with another primary model", () => {
    const { state } = afterFailure(fallbackFor(null, "main"), { failure, fallbacks })
    expect(activeFallback(state, "main")).toBe("second")
    expect(activeFallback(state, "light")).toBeUndefined()
    expect(fallbackFor(state, "light")).toMatchObject({ primary: "light", model: "light", failed: [] })
    expect(activeFallback(undefined, "main")).toBeUndefined()
  })
})
