import { expect, it } from "vitest"
import type { BlockedBy } from "../../../../contracts/session.ts"
import { blockedText } from "../../../../domain/run/session-facts.ts"

const since = "2026-11-21T10:00:00.000Z"

it.each<[BlockedBy, string]>([
  [{ type: "lane", since }, `a slot of the lane, since ${since}`],
  [{ type: "child_paused", since, session_ids: ["c1", "c2"] }, `c1, c2, which wait for a person, since ${since}`],
  [
    { type: "machine", since, machines: ["build-1"] },
    `a worker on build-1, which has the working directory, since ${since}`,
  ],
  [
    { type: "machine", since, machines: ["build-1", "build-2"] },
    `a worker on build-1 or build-2, which has the working directory, since ${since}`,
  ],
  [
    { type: "provider_unavailable", since, reason: "overloaded", next_at: since },
    `the provider, since ${since}: overloaded; next attempt at ${since}`,
  ],
  [{ type: "worker_busy", since, reason: "all are in use" }, `a slot of the worker, since ${since}: all are in use`],
  [{ type: "rate_limit", since, next_at: null }, `the provider's rate limit, since ${since}`],
])("says that a session is blocked by %j", (blocked, text) => {
  expect(blockedText(blocked)).toBe(text)
})
