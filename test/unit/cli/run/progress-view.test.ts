import { expect, it } from "vitest"
import { createProgressView, type ProgressOptions } from "../../../../cli/run/progress/progress-view.ts"
import { shareScreen } from "../../../../cli/terminal/screen.ts"
import { timelineText } from "../../../../cli/text/timeline-text.ts"
import type { EventType, SessionEvent } from "../../../../contracts/event.ts"

let id = 0
const event = (type: EventType, fields: Readonly<Record<string, unknown>> = {}): SessionEvent => ({
  id: ++id,
  type,
  session_id: "abc123",
  run_id: "run_1",
  at: `2026-11-21T10:00:0${Math.min(9, id % 10)}.000Z`,
  ...fields,
})

/** What the view shows of the events; `between` comes from others before the last one. */
const shown = (
  events: readonly SessionEvent[],
  { isOnePlace = false, between, ...options }: ProgressOptions & { isOnePlace?: boolean; between?: string } = {},
): string => {
  let text = ""
  const sink = { write: (piece: string) => void (text += piece) }
  const { screen, stderr } = shareScreen({ stdout: sink, stderr: sink, isOnePlace })
  const view = createProgressView(screen, options)
  for (const [index, one] of events.entries()) {
    if (between !== undefined && index === events.length - 1) stderr.write(between)
    view.show(one)
  }
  view.end()
  return text
}

const proposed = event("tool-calls-proposed", {
  tool_calls: [
    { id: "a", name: "Read", arguments: { file_path: "README.md" } },
    { id: "b", name: "Grep", arguments: { pattern: "x" } },
  ],
})
const started = (call: string, name: string) => event("tool-started", { call_id: call, name })
const finished = (call: string, name: string) =>
  event("tool-finished", { call_id: call, name, outcome: "ok", duration_ms: 120 })

it("shows a call on one line, from its start to its outcome", () => {
  expect(shown([proposed, started("a", "Read"), finished("a", "Read")])).toBe("● Read README.md … ok 0.1s\n")
})

const progressed = (call: string, message: string) => event("tool-progressed", { call_id: call, message })

it("shows what a running call writes, each line once", () => {
  const events = [
    ...[proposed, started("a", "Read"), progressed("a", "one\ntwo\nth"), progressed("a", "two\nthree\n")],
    ...[progressed("a", "two\nthree\n"), finished("a", "Read")],
  ]
  expect(shown(events)).toBe("● Read README.md\n  │ one\n  │ two\n  │ three\n● Read … ok 0.1s\n")
})

it("shows the arguments of calls that were proposed before the view began", () => {
  const earlierCalls = [{ id: "a", name: "Write", arguments: { file_path: "a.md" } }]
  expect(shown([started("a", "Write"), finished("a", "Write")], { earlierCalls })).toBe("● Write a.md … ok 0.1s\n")
})

it("shows each of several concurrent calls once, with its own outcome", () => {
  const events = [proposed, started("a", "Read"), started("b", "Grep"), finished("a", "Read"), finished("b", "Grep")]
  expect(shown(events)).toBe("● Read README.md … ok 0.1s\n● Grep x … ok 0.1s\n")
})

it("does not repeat the arguments of a call that another one overtook", () => {
  const events = [proposed, started("a", "Read"), started("b", "Grep"), finished("b", "Grep"), finished("a", "Read")]
  expect(shown(events)).toBe("● Read README.md\n● Grep x … ok 0.1s\n● Read … ok 0.1s\n")
})

it("leaves a line of others on its own between the start and the outcome of a call", () => {
  const between = "warning: no sandbox\n"
  expect(shown([proposed, started("a", "Read"), finished("a", "Read")], { between })).toBe(
    "● Read README.md\nwarning: no sandbox\n● Read … ok 0.1s\n",
  )
})

it("shows a call only when it has finished where a status says what runs", () => {
  expect(shown([proposed, started("a", "Read"), finished("a", "Read")], { showsRunning: false })).toBe(
    "● Read README.md … ok 0.1s\n",
  )
})

it("leaves the last pause to the outcome where that follows in the same place", () => {
  const paused = event("run-paused")
  expect(shown([paused], { isOnePlace: true })).toBe("")
  expect(shown([paused], { isOnePlace: false })).toBe("‖ paused\n")
  expect(shown([paused, event("steering-applied")], { isOnePlace: true })).toBe("‖ paused\n↪ steered\n")
})

it("streams the model's text and starts a retried answer on a new line", () => {
  const delta = (text: string, attempt: number) => event("text-delta", { seq: 2, attempt, text })
  expect(shown([delta("Hel", 1), delta("lo", 1), delta("Hello!", 2)])).toBe("Hello\nHello!\n")
})

it("shows only the rest when the deltas of a finished answer were merged", () => {
  const delta = (text: string) => event("text-delta", { seq: 2, attempt: 1, text })
  expect(shown([delta("I will "), delta("I will look.")])).toBe("I will look.\n")
})

it("passes on no terminal control sequence of a model or a tool", () => {
  expect(
    shown([event("text-delta", { seq: 1, attempt: 1, text: "\u001b[2Jx" }), started("\u001b", "\u001b[1m")]),
  ).not.toContain("\u001b")
})

it("accepts events with missing fields", () => {
  const types: readonly EventType[] = [
    "text-delta",
    "tool-calls-proposed",
    "tool-started",
    "tool-finished",
    "run-finished",
  ]
  expect(() => shown(types.map((type) => event(type)))).not.toThrow()
})

it("lists events with times from the beginning", () => {
  const at = (seconds: number) => `2026-11-21T10:00:0${seconds}.500Z`
  const text = timelineText([
    { ...event("run-started"), at: at(0) },
    { ...proposed, at: at(1) },
    { ...event("usage-updated"), at: at(2) },
    { ...event("run-finished", { stop_reason: "completed" }), at: at(3) },
  ])
  expect(text.split("\n").map((line) => line.trim())).toEqual([
    "+0.0s  run started",
    "+1.0s  the model proposed Read, Grep",
    "+3.0s  finished: completed",
  ])
})
