import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { findWaits, type RunWaits } from "../../../../cli/run/progress/run-waits.ts"
import { createStatusView } from "../../../../cli/run/progress/status-view.ts"
import { noPaint } from "../../../../cli/terminal/paint.ts"
import type { EventType } from "../../../../contracts/event.ts"
import type { BlockedBy } from "../../../../contracts/session/session.ts"
import { shownBlock } from "../../../../domain/session/block.ts"
import { session } from "../stub-environment.ts"

const start = new Date("2026-11-21T10:00:00.000Z")
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

const lane: BlockedBy = shownBlock({ type: "lane", since: start.toISOString() })

/** The status of a run that answers each question with the next of these, and the last one from then on. */
const openStatus = (...answers: readonly (RunWaits | Error)[]) => {
  let shown = ""
  let questions = 0
  const view = createStatusView({
    screen: {
      isShared: false,
      isLineOpen: () => false,
      writePart: () => undefined,
      endLine: () => undefined,
      setStatus: (line) => void (shown = line ?? ""),
    },
    paint: noPaint,
    columns: () => 100,
    earlierCalls: [],
    findWaits: async () => {
      const answer = answers[Math.min(questions, answers.length - 1)]
      questions += 1
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer")
      return answer
    },
  })
  const happens = (type: EventType) =>
    view.show({ id: 1, type, session_id: "abc123", run_id: "run_1", at: start.toISOString() })
  return { shown: () => shown.slice(2), questions: () => questions, happens, end: view.end }
}

test("a run without events shows what blocks it, until its next event", async () => {
  const status = openStatus({ blockedBy: lane, queuedChildren: 0 })
  status.happens("run-started")
  await vi.advanceTimersByTimeAsync(1_500)
  expect(status.shown()).toBe("the model is working · 1s")
  await vi.advanceTimersByTimeAsync(1_000)
  expect(status.shown()).toBe("queued behind other sub-agents · 2s")
  status.happens("step-started")
  expect(status.shown()).toBe("the model is working · 0s")
  status.end()
  expect(status.shown()).toBe("")
})

test("a run whose events come is not asked about, and a silent one less and less often", async () => {
  const status = openStatus({ blockedBy: null, queuedChildren: 0 })
  for (let second = 0; second < 20; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    status.happens("text-delta")
  }
  expect(status.questions()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(status.questions()).toBeGreaterThan(4)
  expect(status.questions()).toBeLessThan(9)
  status.end()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(status.questions()).toBeLessThan(9)
})

test("a question that fails changes nothing", async () => {
  const status = openStatus(new Error("the server is away"), { blockedBy: lane, queuedChildren: 0 })
  status.happens("step-started")
  await vi.advanceTimersByTimeAsync(3_000)
  expect(status.shown()).toBe("the model is working · 3s")
  await vi.advanceTimersByTimeAsync(4_000)
  expect(status.shown()).toContain("queued behind other sub-agents")
  status.end()
})

test("a run is blocked by what its session says, or its sub-agents are queued", async () => {
  const clientOf = (own: BlockedBy[], ...children: readonly BlockedBy[][]) => ({
    info: async () => session({ blocked_by: own }),
    list: async () => ({ items: children.map((blocked) => session({ blocked_by: blocked })), next_cursor: null }),
  })
  expect(await findWaits(clientOf([lane]), "abc123")).toEqual({ blockedBy: lane, queuedChildren: 0 })
  expect(await findWaits(clientOf([], [lane], [], [lane]), "abc123")).toEqual({ blockedBy: null, queuedChildren: 2 })
})

// The status counted characters, but a terminal shows many of them two columns wide: the line was broken, and each new
// status left the old one on the screen.
const statusOf = (name: string, columns: number): string => {
  let shown = ""
  const screen = {
    isShared: false,
    isLineOpen: () => false,
    writePart: () => undefined,
    endLine: () => undefined,
    setStatus: (line: string | undefined) => void (shown = line ?? shown),
  }
  const view = createStatusView({ screen, paint: noPaint, columns: () => columns, earlierCalls: [] })
  const at = "2026-11-21T10:00:00.000Z"
  view.show({ id: 1, type: "tool-started", session_id: "abc123", run_id: "run_1", at, call_id: "a", name })
  view.end()
  return shown
}

test.each([
  ["Chinese", "写"],
  ["Hangul", "글"],
  ["an emoji", "🚀"],
])("a status with %s stays within its line", (_, character) => {
  const wide = statusOf(character.repeat(40), 20).split(character).length - 1
  // 19 columns, without the mark, its space and the ellipsis.
  expect(wide).toBeGreaterThan(4)
  expect(wide).toBeLessThanOrEqual(8)
})
