import { describe, expect, it } from "vitest"
import {
  isSameEngine,
  missingEngine,
  otherEngine,
  type RememberedEngine,
  unknownEngine,
} from "../../../../domain/engine/engine-identity.ts"

const remembered: RememberedEngine = {
  namespaceId: "id-1",
  namespace: "default",
  address: "10.0.0.1:7233",
  claimId: "claim",
  since: "2026-01-01T00:00:00.000Z",
  scheduleCreatedAt: "2026-01-01T00:00:01.000Z",
}
const found = { namespaceId: "id-2", namespace: "staging", address: "127.0.0.1:7233" }

describe("isSameEngine", () => {
  it("compares the namespace's id, whatever the schedule", () => {
    expect(isSameEngine(remembered, { namespaceId: "id-1" }, null)).toBe(true)
    expect(isSameEngine(remembered, { namespaceId: "id-2" }, remembered.scheduleCreatedAt)).toBe(false)
  })

  it.each([
    ["of the namespace that was found", remembered, null],
    ["of the namespace that is remembered", { ...remembered, namespaceId: null }, "id-1"],
  ] as const)("compares the schedule's creation time if the id %s is unknown", (_, belongsTo, namespaceId) => {
    expect(isSameEngine(belongsTo, { namespaceId }, remembered.scheduleCreatedAt)).toBe(true)
    expect(isSameEngine(belongsTo, { namespaceId }, "2026-02-02T00:00:00.000Z")).toBe(false)
    expect(isSameEngine(belongsTo, { namespaceId }, null)).toBe(false)
  })

  it("accepts any schedule of the store if none is recorded yet", () => {
    const early = { ...remembered, scheduleCreatedAt: null }
    expect(isSameEngine(early, { namespaceId: null }, "2026-02-02T00:00:00.000Z")).toBe(true)
    expect(isSameEngine(early, { namespaceId: null }, null)).toBe(false)
  })
})

describe("a mismatch of engines", () => {
  it("names both namespaces with id and address, and what to do", () => {
    const { code, message } = otherEngine(remembered, found)
    expect(code).toBe("engine_mismatch")
    for (const part of ["default", "id-1", "10.0.0.1:7233", "staging", "id-2", "127.0.0.1:7233"])
      expect(message).toContain(part)
    for (const part of ["TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "adjutant engine move"])
      expect(message).toContain(part)
  })

  it("names the missing permission if the namespace cannot be described", () => {
    expect(otherEngine(remembered, { ...found, namespaceId: null }).message).toContain("DescribeNamespace")
  })

  it.each([
    otherEngine(remembered, found),
    otherEngine(remembered, { ...found, namespaceId: null }),
    unknownEngine(found, 1),
    missingEngine("belongs to Temporal", "/data/temporal.db"),
  ])("begins in lower case and has no full stop: %s", ({ message }) => {
    expect(message).toMatch(/^[a-z].*[^.]$/)
  })
})
