import { expect, test } from "vitest"
import { activityText, initialActivity, nextActivity, type RunActivity } from "../../../../cli/run/progress/activity.ts"
import type { EventType, SessionEvent } from "../../../../contracts/event.ts"
import { type RunBlocker, shownBlock } from "../../../../domain/session/block.ts"

const event = (type: EventType, fields: Readonly<Record<string, unknown>> = {}): SessionEvent => ({
  id: 1,
  type,
  session_id: "abc123",
  run_id: "run_1",
  at: "2026-11-21T10:00:00.000Z",
  ...fields,
})

const startMs = Date.parse("2026-11-21T10:00:00.000Z")

/** What the status says three seconds after the last of the events. */
const after = (...events: readonly SessionEvent[]): string | undefined => {
  const activity = events.reduce((before, one) => nextActivity(before, one, startMs), initialActivity([]))
  return activityText(activity, startMs + 3_000)
}

const proposed = event("tool-calls-proposed", {
  tool_calls: [
    { id: "a", name: "Bash", arguments: { command: "npm test" } },
    { id: "b", name: "Read", arguments: { file_path: "a.md" } },
  ],
})
const started = (id: string, name: string) => event("tool-started", { call_id: id, name })

test("the status says how long the model has worked", () => {
  expect(after()).toBeUndefined()
  expect(after(event("run-started"), event("step-started"))).toBe("the model is working · 3s")
})

test("the status names the longest-running call and counts the others", () => {
  expect(after(proposed, started("a", "Bash"), started("b", "Read"))).toBe("Bash npm test · 3s · 1 more")
  expect(after(proposed, started("a", "Bash"), started("b", "Read"), event("tool-finished", { call_id: "a" }))).toBe(
    "Read a.md · 3s",
  )
})

test("the status says when a failed model call is tried again, and why it failed", () => {
  const retry = event("model-retry", { reason: "overloaded (529)", attempt: 2, next_at: "2026-11-21T10:00:10.000Z" })
  expect(after(event("step-started"), retry)).toBe("attempt 3 in 7s: overloaded (529)")
  const due = event("model-retry", { reason: "overloaded (529)", attempt: 2, next_at: "2026-11-21T10:00:02.000Z" })
  expect(after(event("step-started"), due)).toBe("attempt 3 now: overloaded (529)")
  expect(after(retry, event("text-delta", { text: "Hi" }))).toBe("the model is working · 3s")
})

test("the status counts the sub-agents that the run waits for", () => {
  expect(after(event("child-started"), event("child-started"))).toBe("waiting for 2 sub-agents · 3s")
  expect(after(event("child-started"), event("child-finished"))).toBeUndefined()
})

test("the status says nothing about a run that has paused or ended", () => {
  expect(after(proposed, started("a", "Bash"), event("run-paused"))).toBeUndefined()
  expect(after(event("step-started"), event("run-finished"))).toBeUndefined()
})

test("no control sequence of a tool or a provider reaches the status", () => {
  const retry = event("model-retry", { reason: "\u001b[2Jgone", attempt: 1, next_at: "2026-11-21T10:00:10.000Z" })
  for (const text of [after(retry), after(started("a", "\u001b[1mBash"))]) expect(text).not.toContain("\u001b")
})

test("the status of a running call ends with the last line of its output", () => {
  const running = nextActivity(initialActivity([]), started("a", "Bash"), startMs)
  const written = nextActivity(
    running,
    event("tool-progressed", { call_id: "a", message: "one\n12 passed\n" }),
    startMs,
  )
  expect(activityText(written, startMs + 3_000)).toBe("Bash · 3s · 12 passed")
})

const since = "2026-11-21T09:59:51.000Z"
const working = nextActivity(initialActivity([]), event("step-started"), startMs)
const waitsFor = (block: RunBlocker) =>
  activityText(working, startMs + 3_000, { blockedBy: shownBlock(block), queuedChildren: 0 })

test.each<[RunBlocker, string]>([
  [{ type: "lane", since }, "queued behind other sub-agents · 12s"],
  [
    { type: "worker_busy", since, reason: "all slots are in use" },
    "waiting for the worker: all slots are in use · 12s",
  ],
  [{ type: "machine", since, machines: ["build-1", "build-2"] }, "waiting for a worker on build-1 or build-2 · 12s"],
  [{ type: "child_paused", since, session_ids: ["k3x9ab"] }, "waiting for a person's answer to k3x9ab · 12s"],
  [
    { type: "rate_limit", since, next_at: "2026-11-21T10:00:10.000Z" },
    "waiting for the provider's rate limit, next attempt in 7s · 12s",
  ],
  [
    { type: "provider_unavailable", since, reason: "overloaded (529)", next_at: null },
    "waiting for the provider: overloaded (529)",
  ],
])("the status says what blocks a run of which no event says it: %j", (blocked, text) => {
  expect(waitsFor(blocked)).toBe(text)
})

test.each([
  ["store", "the disk is full", "waiting for the store: the disk is full · 12s"],
  ["engine", "Temporal does not answer", "waiting for Temporal · 12s"],
] as const)("the status says why a run waits for what it runs on: the %s", (type, reason, text) => {
  const blockedBy = { type, since, reason, next_at: null }
  expect(activityText(working, startMs + 3_000, { blockedBy, queuedChildren: 0 })).toBe(text)
})

test("no control sequence of a machine's name reaches the status", () => {
  expect(waitsFor({ type: "machine", since, machines: ["\u001b[2Jgone"] })).not.toContain("\u001b")
})

test("the status says how many of the sub-agents are queued", () => {
  const childrenText = (children: number, queuedChildren: number) => {
    const activity = Array.from({ length: children }).reduce<RunActivity>(
      (before) => nextActivity(before, event("child-started"), startMs),
      initialActivity([]),
    )
    return activityText(activity, startMs + 3_000, { blockedBy: null, queuedChildren })
  }
  expect(childrenText(1, 1)).toBe("waiting for a sub-agent, which is queued behind others · 3s")
  expect(childrenText(3, 2)).toBe("waiting for 3 sub-agents, 2 of them queued behind others · 3s")
})
