import { describe, expect, it } from "vitest"
import { type ChildState, withoutOldChildren } from "../../../../domain/limits/child-state.ts"

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
