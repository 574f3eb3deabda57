import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest"

interface Timer {
  readonly atMs: number
  readonly fire: () => void
}

/** The timers that Temporal keeps: one whose machine sleeps fires late. */
const engine = vi.hoisted(() => ({ timers: [] as Timer[] }))

vi.mock("@temporalio/workflow", () => ({
  CancellationScope: class {
    run = (work: () => Promise<void>) => work()
    cancel = () => void engine.timers.pop()
  },
  patched: () => true,
  sleep: (ms: number) => new Promise<void>((fire) => engine.timers.push({ atMs: Date.now() + ms, fire })),
}))

// The test files of a worker share their modules: with the mock they are loaded again, before and after it.
vi.resetModules()
const { createRunClock } = await import("../../../../workflows/session/run-clock.ts")
afterAll(() => vi.resetModules())

beforeEach(() => {
  engine.timers.length = 0
  vi.useFakeTimers({ now: 0, toFake: ["Date"] })
})
afterEach(() => vi.useRealTimers())

/** Lets the timer that runs fire, `lateMs` after its time. */
const fireNext = async (lateMs = 0): Promise<void> => {
  const timer = engine.timers.shift()
  if (timer === undefined) throw new Error("no timer runs")
  vi.setSystemTime(timer.atMs + lateMs)
  timer.fire()
  await new Promise((resolve) => setImmediate(resolve))
}

const limitMs = 600_000

it("counts no time in which the machine slept", async () => {
  let isOver = false
  const clock = createRunClock({ limitMs: () => limitMs, alreadyRanMs: 0, onTimeout: () => void (isOver = true) })
  clock.start()
  await fireNext()
  await fireNext(8 * 3_600_000)
  expect([isOver, clock.ranMs()]).toEqual([false, 120_000])
  vi.setSystemTime(Date.now() + 1_000)
  expect(clock.ranMs()).toBe(121_000)
  clock.stop()
  expect(clock.ranMs()).toBe(121_000)
})

it("ends a run at its limit", async () => {
  let isOver = false
  const clock = createRunClock({ limitMs: () => limitMs, alreadyRanMs: 30_000, onTimeout: () => void (isOver = true) })
  clock.start()
  while (engine.timers.length > 0) await fireNext()
  expect(isOver).toBe(true)
  expect(clock.ranMs()).toBe(limitMs)
})
