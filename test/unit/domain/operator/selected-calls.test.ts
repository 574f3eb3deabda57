import { describe, expect, it } from "vitest"
import { selectedCalls } from "../../../../domain/operator/selected-calls.ts"

const plain = { id: "plain" }
const guarded = { id: "guarded", isProtected: true } as const
const covered = { id: "covered", isCovered: true } as const

describe.each(["approve", "reject"] as const)("a signal that is sent by hand, `%s`", (name) => {
  it("decides calls by their ids, and names those that do not wait", () => {
    expect(selectedCalls(name, ["plain"], [plain, guarded])).toEqual({ ids: ["plain"], left: [] })
    expect(selectedCalls(name, ["guarded"], [plain, guarded])).toEqual({ ids: ["guarded"], left: [] })
    expect(selectedCalls(name, ["plain", "other"], [plain])).toEqual({ problem: "no call other waits here" })
  })

  it.each([
    ["by its id", ["covered"] as const, [plain, covered]],
    ["with others", ["plain", "covered"] as const, [plain, covered]],
    ["as one of all", "all" as const, [covered]],
  ])("decides no call that only some people decide: %s", (_, selection, calls) => {
    expect(selectedCalls(name, selection, calls)).toEqual({
      problem: expect.stringMatching(/^covered: only the people/),
    })
  })

  it("leaves such a call pending where it decides all others", () => {
    expect(selectedCalls(name, "all", [plain, covered])).toEqual({ ids: ["plain"], left: ["covered"] })
  })
})

describe("a signal that decides all calls", () => {
  it("rejects a call that must be approved by its id, and does not approve it", () => {
    expect(selectedCalls("reject", "all", [plain, guarded])).toEqual({ ids: ["plain", "guarded"], left: [] })
    expect(selectedCalls("approve", "all", [plain, guarded])).toEqual({ ids: ["plain"], left: ["guarded"] })
    expect(selectedCalls("approve", "all", [guarded])).toEqual({
      problem: expect.stringContaining("approve guarded by id"),
    })
  })
})
