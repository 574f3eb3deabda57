import { describe, expect, it } from "vitest"
import {
  type ArchiveFacts,
  isArchiveDue,
  isSubagentSession,
  spawnOptionsOf,
} from "../../../../domain/delegation/archive-due.ts"

const minute = 60_000
const facts: ArchiveFacts = {
  endedAtMs: 0,
  nowMs: 60 * minute,
  archiveAfterMinutes: 60,
  isKept: false,
  isBound: false,
  cleanup: "keep",
  parentIsOver: true,
}

describe("archiving", () => {
  it("is due when the configured time has passed since the end of the last run", () => {
    expect(isArchiveDue(facts)).toBe(true)
    expect(isArchiveDue({ ...facts, nowMs: 60 * minute - 1 })).toBe(false)
  })

  it("never happens if 0 is configured or the session is bound to a thread", () => {
    expect(isArchiveDue({ ...facts, archiveAfterMinutes: 0 })).toBe(false)
    expect(isArchiveDue({ ...facts, isBound: true, cleanup: "delete" })).toBe(false)
  })

  it("does not happen by time to a session that a person started", () => {
    expect(isArchiveDue({ ...facts, isKept: true })).toBe(false)
    expect(isSubagentSession({ depth: 0, parentId: null, internal: {} })).toBe(false)
    expect(isSubagentSession({ depth: 1, parentId: null, internal: { tool: "sessions_spawn" } })).toBe(true)
    expect(isSubagentSession({ depth: 1, parentId: "p", internal: {} })).toBe(true)
    expect(isSubagentSession({ depth: 1, parentId: null, internal: { forked_from: "c" } })).toBe(false)
  })

  it("happens at once for a session that is no longer needed", () => {
    const fresh = { ...facts, nowMs: 0, cleanup: "delete" as const }
    expect(isArchiveDue(fresh)).toBe(true)
    expect(isArchiveDue({ ...fresh, archiveAfterMinutes: 0 })).toBe(true)
    expect(isArchiveDue({ ...fresh, parentIsOver: false })).toBe(false)
  })

  it("depends on the marks of a spawn, and not on the same marks in notes on a user's own session", () => {
    const internal = { cleanup: "delete", mode: "session" }
    expect(spawnOptionsOf({ depth: 1, internal })).toEqual({ isBound: true, cleanup: "delete" })
    expect(spawnOptionsOf({ depth: 0, internal })).toEqual({ isBound: false, cleanup: "keep" })
  })
})
