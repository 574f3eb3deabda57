import { afterAll, expect, it, vi } from "vitest"

const info = vi.hoisted(() => ({ historyLength: 100, historySize: 0 }))

vi.mock("@temporalio/workflow", () => ({ workflowInfo: () => info }))

// Test files of a worker share their modules: with the mock they are loaded again, before and after it.
vi.resetModules()
const { isHistoryFull } = await import("../../../workflows/is-history-long.ts")
afterAll(() => vi.resetModules())

it("counts the bytes of a history as well as its events", () => {
  expect(isHistoryFull(1_000)).toBe(false)
  info.historySize = 40 * 1024 ** 2
  expect(isHistoryFull(1_000)).toBe(true)
  Object.assign(info, { historyLength: 1_000, historySize: 0 })
  expect(isHistoryFull(1_000)).toBe(true)
})
