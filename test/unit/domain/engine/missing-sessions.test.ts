import { describe, expect, it } from "vitest"
import { areTooManyMissing, missingVerdict, statusForRun } from "../../../../domain/engine/missing-sessions.ts"

describe("areTooManyMissing", () => {
  it.each([
    [5, 5, false],
    [6, 6, true],
    [6, 60, false],
    [7, 60, true],
    [100, 1_000, false],
    [101, 1_000, true],
    [0, 0, false],
  ])("returns for %d missing among %d open sessions: %s", (missing, open, expected) => {
    expect(areTooManyMissing({ missing, open, lost: 0 })).toBe(expected)
  })
})

describe("areTooManyMissing, after some sessions were recorded as lost", () => {
  it.each([
    [1, 1, 4, false],
    [1, 1, 5, true],
    [1, 60, 5, false],
    [0, 0, 6, false],
  ])("returns for %d missing among %d open sessions, after %d: %s", (missing, open, lost, expected) => {
    expect(areTooManyMissing({ missing, open, lost })).toBe(expected)
  })
})

describe("missingVerdict", () => {
  const few = { missing: 1, open: 1, lost: 0 }
  const many = { missing: 6, open: 6, lost: 0 }
  const facts = {
    sighting: { firstSeenAt: "2026-01-01T00:00:00.000Z", times: 2, acceptedAt: null },
    nowMs: Date.parse("2026-01-01T00:01:00.000Z"),
    confirmMs: 60_000,
    count: few,
  }
  const accepted = { ...facts.sighting, acceptedAt: "2026-01-01T00:00:30.000Z" }

  it("counts a session as lost if it is still missing after the configured time", () => {
    expect(missingVerdict(facts)).toBe("lost")
    expect(missingVerdict({ ...facts, nowMs: facts.nowMs - 1 })).toBe("unconfirmed")
  })

  it("requires a second check, however short the configured time is", () => {
    expect(missingVerdict({ ...facts, confirmMs: 0, sighting: { ...facts.sighting, times: 1 } })).toBe("unconfirmed")
  })

  it("asks a person if too many are missing, unless a person has accepted it", () => {
    expect(missingVerdict({ ...facts, count: many })).toBe("too_many")
    expect(missingVerdict({ ...facts, count: many, sighting: accepted })).toBe("lost")
  })

  it("does not end a session at the first check because it was accepted", () => {
    expect(missingVerdict({ ...facts, sighting: accepted, nowMs: facts.nowMs - 1 })).toBe("unconfirmed")
  })
})

describe("statusForRun", () => {
  const runCreatedAt = "2026-01-01T00:00:00.000Z"
  const closedAt = (offsetMs: number) => ({
    status: "completed" as const,
    closedAtMs: Date.parse(runCreatedAt) + offsetMs,
  })

  it("does not know a run whose latest execution closed before the run was created", () => {
    expect(statusForRun(closedAt(-60_000), { status: "paused", runCreatedAt })).toBe("not_found")
    expect(statusForRun(closedAt(1), { status: "paused", runCreatedAt })).toBe("completed")
  })

  it("tolerates clocks that differ", () => {
    expect(statusForRun(closedAt(-5_000), { status: "running", runCreatedAt })).toBe("completed")
  })

  it("expects an earlier execution of a run that has not started", () => {
    expect(statusForRun(closedAt(-60_000), { status: "pending", runCreatedAt })).toBe("completed")
  })

  it("trusts an open execution, and the execution of a run that is not in the store", () => {
    expect(statusForRun({ status: "running", closedAtMs: null }, { status: "paused", runCreatedAt })).toBe("running")
    expect(statusForRun(closedAt(-60_000), { status: "paused", runCreatedAt: undefined })).toBe("completed")
  })
})
