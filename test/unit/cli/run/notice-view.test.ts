import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { shownBlock } from "../../../../domain/session/block.ts"
import { createNoticeView } from "../../../../cli/run/progress/notice-view.ts"
import type { RunWaits } from "../../../../cli/run/progress/run-waits.ts"
import type { EventType } from "../../../../contracts/event.ts"

const start = new Date("2026-11-21T10:00:00.000Z")
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

const free: RunWaits = { blockedBy: null, queuedChildren: 0 }

const open = (isWaitShown = true) => {
  const lines: string[] = []
  let waits = free
  const view = createNoticeView({
    write: (line) => void lines.push(line),
    ...(isWaitShown ? { findWaits: async () => waits } : {}),
  })
  return {
    lines,
    end: view.end,
    setWaits: (next: RunWaits) => void (waits = next),
    happens: (type: EventType, data: object = {}) =>
      view.show({ id: 1, type, session_id: "abc123", run_id: "run_1", at: start.toISOString(), ...data }),
  }
}

const retry = (seconds: number) => ({
  reason: "anthropic could not answer (HTTP 529): overloaded",
  attempt: 1,
  next_at: new Date(start.getTime() + seconds * 1_000).toISOString(),
})

test("an outage is written within 5 s, every 30 s while it lasts, and when it ends", async () => {
  const run = open()
  run.happens("step-started")
  run.happens("model-retry", retry(60))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(run.lines).toEqual(["attempt 2 in 57s: anthropic could not answer (HTTP 529): overloaded"])
  await vi.advanceTimersByTimeAsync(57_000)
  expect(run.lines).toHaveLength(2)
  run.happens("text-delta")
  expect(run.lines.at(-1)).toMatch(/^the run continues after a wait of 1m/)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run.lines).toHaveLength(3)
})

test("what blocks a run without an event is written, with the reason", async () => {
  const run = open()
  run.setWaits({
    blockedBy: {
      type: "provider_unavailable",
      since: start.toISOString(),
      reason: "connect ECONNREFUSED 127.0.0.1:9",
      next_at: new Date(start.getTime() + 20_000).toISOString(),
    },
    queuedChildren: 0,
  })
  run.happens("model-retry", retry(0))
  await vi.advanceTimersByTimeAsync(5_500)
  expect(run.lines).toEqual([
    expect.stringMatching(/^waiting for the provider, next attempt in 1[4-7]s: connect ECONN/),
  ])
})

test("a wait that continues for another reason is written again", async () => {
  const run = open()
  run.happens("model-retry", retry(4))
  await vi.advanceTimersByTimeAsync(4_000)
  expect(run.lines).toHaveLength(1)
  run.setWaits({
    blockedBy: shownBlock({ type: "rate_limit", since: start.toISOString(), next_at: null }),
    queuedChildren: 0,
  })
  await vi.advanceTimersByTimeAsync(12_000)
  expect(run.lines.slice(1)).toEqual([expect.stringMatching(/^waiting for the provider's rate limit/)])
})

test("a short wait and a run that ends are not worth a line", async () => {
  const run = open()
  run.happens("model-retry", retry(1))
  await vi.advanceTimersByTimeAsync(1_000)
  run.happens("text-delta")
  run.happens("model-retry", retry(1))
  await vi.advanceTimersByTimeAsync(1_000)
  run.happens("run-finished")
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run.lines).toEqual([])
})

test("tools that are missing are written also where a status line shows the waits", async () => {
  const run = open(false)
  run.happens("tools-unavailable", { server: "s", message: "MCP server s cannot be reached: it ended" })
  run.happens("model-retry", retry(60))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(run.lines).toEqual(["MCP server s cannot be reached: it ended"])
})
