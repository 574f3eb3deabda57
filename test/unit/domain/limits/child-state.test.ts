import { describe, expect, it } from "vitest"
import {
  type ChildState,
  reservedByChildren,
  waitOfChildren,
  withoutOldChildren,
} from "../../../../domain/limits/child-state.ts"

const child = (ordinal: number, over: Partial<ChildState> = {}): ChildState => ({
  ...{ id: `c${ordinal}`, ordinal, label: null, agent: "general", use: "background", runId: `r${ordinal}` },
  ...{ status: "ended", stopReason: "completed", reserved: { microUsd: null, tokens: null } },
  ...{ isReported: true, isSilent: false },
  ...over,
})

describe("the children that a run remembers", () => {
  it("are bounded: the oldest that ended are dropped, never one that runs or is not yet reported", () => {
    const children = Array.from({ length: 1_000 }, (_, index) => child(index + 1))
    children[0] = child(1, { status: "running" })
    children[1] = child(2, { status: "paused" })
    children[2] = child(3, { isReported: false })
    const kept = withoutOldChildren(children)
    expect(kept.slice(0, 4).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 901])
    expect(kept).toHaveLength(103)
  })

  it("stay as they are while they are few", () => {
    const children = [child(1), child(2, { status: "running" })]
    expect(withoutOldChildren(children)).toEqual(children)
  })
})

describe("the children of a run that have not ended", () => {
  const reserved = { microUsd: 30, tokens: 5 }

  it("keep the budget that is reserved for them, even while they are paused", () => {
    const open = [child(1, { status: "running", reserved }), child(2, { status: "paused", reserved })]
    expect(reservedByChildren([...open, child(3, { reserved })])).toEqual({ microUsd: 60, tokens: 10 })
    expect(reservedByChildren([child(1, { status: "running" })])).toEqual({ microUsd: 0, tokens: 0 })
  })

  it("wait for people if all are paused, and for a provider if one of the others waits for it and none works", () => {
    const [paused, away] = [child(1, { status: "paused" }), child(2, { status: "running", isAway: true })]
    expect(waitOfChildren([paused, child(3)])).toBe("people")
    expect(waitOfChildren([paused, away])).toBe("provider")
    expect(waitOfChildren([paused, away, child(3, { status: "running" })])).toBeUndefined()
    expect(waitOfChildren([child(3)])).toBeUndefined()
  })
})
