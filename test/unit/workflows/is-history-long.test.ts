import { expect, it, vi } from "vitest"
import { isHistoryFull } from "../../../workflows/is-history-long.ts"

const info = vi.hoisted(() => ({ historyLength: 100, historySize: 0 }))

vi.mock("@temporalio/workflow", () => ({ workflowInfo: () => info }))

it("counts the bytes of a history as well as its events", () => {
  expect(isHistoryFull(1_000)).toBe(false)
  info.historySize = 40 * 1024 ** 2
  expect(isHistoryFull(1_000)).toBe(true)
  Object.assign(info, { historyLength: 1_000, historySize: 0 })
  expect(isHistoryFull(1_000)).toBe(true)
})
