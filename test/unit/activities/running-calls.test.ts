import { CancelledFailure } from "@temporalio/activity"
import { MockActivityEnvironment } from "@temporalio/testing"
import { afterEach, describe, expect, it, vi } from "vitest"
import { isRunStopped, limitReached, followCall, withinLimit } from "../../../activities/followed-calls.ts"
import { callSignal } from "../../../activities/running-calls.ts"

afterEach(() => vi.useRealTimers())

/** A call that ends when it is told to, or when it is stopped. */
const createCall = () => {
  const deps = { stops: undefined }
  const ends = Promise.withResolvers<string>()
  const seen = { starts: 0, stoppedFor: undefined as unknown, isCancel: false }
  const work = () => {
    seen.starts += 1
    const signal = callSignal()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    void ends.promise.then(resolve)
    signal.addEventListener("abort", () => reject(new CancelledFailure((signal.reason as Error).message)))
    return promise.catch((error: unknown) => {
      seen.stoppedFor = (error as Error).message
      seen.isCancel = isRunStopped()
      throw error
    })
  }
  /** One attempt of the activity. */
  const attempt = (number: number) => {
    const environment = new MockActivityEnvironment({ attempt: number })
    const result = environment.run(() => followCall(deps, { runId: "r1" }, work))
    result.catch(() => undefined)
    return { result, cancel: (reason: string) => environment.cancel(reason as "NOT_FOUND") }
  }
  return { attempt, end: ends.resolve, seen }
}

describe("a call that Temporal took for lost while its process lived", () => {
  it.each(["NOT_FOUND", "TIMED_OUT", "PAUSED", "RESET"])(
    "is joined by the next attempt, and runs once: %s",
    async (why) => {
      vi.useFakeTimers()
      const { attempt, end, seen } = createCall()
      const first = attempt(1)
      await vi.advanceTimersByTimeAsync(0)
      first.cancel(why)
      const second = attempt(2)
      await vi.advanceTimersByTimeAsync(600_000)
      end("done")
      expect(await second.result).toBe("done")
      expect(seen).toMatchObject({ starts: 1, stoppedFor: undefined })
    },
  )

  it("is stopped if no attempt joins it", async () => {
    vi.useFakeTimers()
    const { attempt, seen } = createCall()
    const first = attempt(1)
    await vi.advanceTimersByTimeAsync(0)
    first.cancel("NOT_FOUND")
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(first.result).rejects.toThrow("NOT_FOUND")
    expect(seen).toMatchObject({ stoppedFor: "NOT_FOUND", isCancel: false })
  })

  it("is cancelled through the attempt that joined it", async () => {
    vi.useFakeTimers()
    const { attempt, seen } = createCall()
    const first = attempt(1)
    await vi.advanceTimersByTimeAsync(0)
    first.cancel("TIMED_OUT")
    const second = attempt(2)
    await vi.advanceTimersByTimeAsync(0)
    second.cancel("CANCELLED")
    await expect(second.result).rejects.toThrow("CANCELLED")
    expect(seen).toMatchObject({ starts: 1, stoppedFor: "CANCELLED", isCancel: true })
  })

  it("begins again after its end", async () => {
    const { attempt, end, seen } = createCall()
    end("done")
    for (const number of [1, 2]) expect(await attempt(number).result).toBe("done")
    expect(seen.starts).toBe(2)
  })
})

it("ends a call at its limit, which does not count as a cancel", async () => {
  vi.useFakeTimers()
  const call = new MockActivityEnvironment().run(() =>
    withinLimit(30_000, async () => {
      const signal = callSignal()
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      return { limit: limitReached(signal), isCancel: isRunStopped() }
    }),
  )
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await call).toEqual({ limit: 30_000, isCancel: false })
})
