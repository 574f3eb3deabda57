import { expect, it } from "vitest"
import { type RunBlocker, shownBlock } from "../../../../domain/session/block.ts"
import { blockedText } from "../../../../domain/session/session-facts.ts"

const since = "2026-11-21T10:00:00.000Z"

it.each<[RunBlocker, string]>([
  [{ type: "lane", since }, `a slot of the lane, since ${since}: other sub-agents have all slots`],
  [{ type: "child_paused", since, session_ids: ["c1", "c2"] }, `sub-agents, since ${since}: c1, c2 wait for a person`],
  [
    { type: "machine", since, machines: ["build-1"] },
    `a worker of its place, since ${since}: build-1, which has the working directory, has no worker`,
  ],
  [
    { type: "machine", since, machines: ["build-1", "build-2"] },
    `a worker of its place, since ${since}: build-1 or build-2, which has the working directory, has no worker`,
  ],
  [
    { type: "provider_unavailable", since, reason: "overloaded", next_at: since },
    `the provider, since ${since}: overloaded; next attempt at ${since}`,
  ],
  [{ type: "worker_busy", since, reason: "all are in use" }, `a slot of the worker, since ${since}: all are in use`],
  [
    { type: "rate_limit", since, next_at: null },
    `the provider's rate limit, since ${since}: the provider limits requests`,
  ],
])("says that a session is blocked by %j", (blocked, text) => {
  expect(blockedText(shownBlock(blocked))).toBe(text)
})
