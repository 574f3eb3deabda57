import { expect, test } from "vitest"
import { createPatience } from "../../../../server/process/patience.ts"
import { longestKeeperStartMs, startLimits } from "../../../../server/process/start-limits.ts"
import { reportWait } from "../../../../server/process/report-wait.ts"

test("patience starts with the first check, not with its creation", () => {
  let now = 0
  const patience = createPatience(100, () => now)
  now = 1_000
  expect(patience.isOver()).toBe(false)
  now = 1_100
  expect(patience.isOver()).toBe(false)
  now = 1_101
  expect(patience.isOver()).toBe(true)
})

test("patience starts again after a reset", () => {
  let now = 0
  const patience = createPatience(100, () => now)
  patience.isOver()
  now = 200
  patience.reset()
  expect(patience.isOver()).toBe(false)
})

test("a wait is reported once per interval, and never at its beginning", () => {
  let now = 0
  const told: number[] = []
  const tell = reportWait(
    1_000,
    (elapsedMs) => void told.push(elapsedMs),
    () => now,
  )
  for (now of [0, 999, 1_000, 1_500, 3_200, 3_300]) tell()
  expect(told).toEqual([1_000, 3_200])
})

test("a keeper gets at least as long as the two servers that it may have to wait for", () => {
  const limits = startLimits({}, { readyTimeoutMs: 10, stopGraceMs: 1 })
  expect(limits.keeperTimeoutMs).toBe(longestKeeperStartMs(limits))
  expect(limits.keeperTimeoutMs).toBeGreaterThan(20)
})

test("the environment sets how long a server may take to start, and an invalid value is rejected", () => {
  const env = { ADJUTANT_SERVER_START_TIMEOUT_MS: "120000" }
  expect(startLimits(env, { readyTimeoutMs: 5 }).readyTimeoutMs).toBe(120_000)
  for (const value of ["0", "-1", "soon", "1.5"])
    expect(() => startLimits({ ADJUTANT_SERVER_START_TIMEOUT_MS: value })).toThrow(/must be milliseconds from 1 to/)
})
