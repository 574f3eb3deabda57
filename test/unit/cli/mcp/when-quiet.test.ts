import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { whenQuiet } from "../../../../cli/mcp/when-quiet.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const attempts = (...answers: readonly boolean[]) => {
  const attempt = vi.fn<() => boolean>(() => true)
  for (const answer of answers) attempt.mockReturnValueOnce(answer)
  return attempt
}

it("does nothing before the first event", () => {
  const attempt = attempts()
  whenQuiet(100, attempt)
  vi.advanceTimersByTime(1_000)
  expect(attempt).not.toHaveBeenCalled()
})

it("waits until there are no more events, then acts once", () => {
  const attempt = attempts()
  const quiet = whenQuiet(100, attempt)
  for (const pause of [60, 60, 60]) {
    quiet.happened()
    vi.advanceTimersByTime(pause)
  }
  expect(attempt).not.toHaveBeenCalled()
  vi.advanceTimersByTime(40)
  quiet.happened()
  vi.advanceTimersByTime(1_000)
  expect(attempt).toHaveBeenCalledOnce()
})

it("asks again while it is too early", () => {
  const attempt = attempts(false, false)
  whenQuiet(100, attempt).happened()
  vi.advanceTimersByTime(1_000)
  expect(attempt).toHaveBeenCalledTimes(3)
})

it("does nothing after it is cancelled", () => {
  const attempt = attempts()
  const quiet = whenQuiet(100, attempt)
  quiet.happened()
  quiet.cancel()
  quiet.happened()
  vi.advanceTimersByTime(1_000)
  expect(attempt).not.toHaveBeenCalled()
})
