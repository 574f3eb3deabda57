import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Decide } from "../../../../contracts/approval/decision.ts"
import { applyDecision, type OpenPause, refuseDecision } from "../../../../domain/calls/apply-decision.ts"
import { readEditNote, withEditNote } from "../../../../domain/calls/edit-note.ts"
import { nextGroup, approverNote, openBatch, pendingCalls } from "../../../../domain/calls/tool-batch.ts"
import { mutating, proposed } from "../batch-builder.ts"

const pauseOf = (...ids: string[]): OpenPause => ({
  checkpointId: "cp_1",
  batch: openBatch(
    1,
    1,
    ids.map((id) => mutating(id, { disposition: "prompt" })),
  ),
  decided: {},
})

const decide = (over: Partial<Decide>): Decide => ({ decision_id: "d1", decisions: {}, unlisted: "pending", ...over })

describe("a decision", () => {
  it("approves the named calls and leaves the rest pending", () => {
    const { batch, applied } = applyDecision(pauseOf("a", "b"), decide({ decisions: { a: { action: "accept" } } }))
    expect(applied).toEqual([{ id: "a", action: "accept" }])
    expect(pendingCalls(batch).map((call) => call.id)).toEqual(["b"])
    expect(nextGroup(batch)).toEqual([])
  })

  it("keeps a note of the approver for the agent, which reads it after the result", () => {
    const decisions = {
      a: { action: "accept", content: "Mind the tests." },
      b: { action: "accept", content: " " },
    } as const
    const { batch } = applyDecision(pauseOf("a", "b"), decide({ decisions }))
    expect(batch.calls.map(approverNote)).toEqual([{ note: "Mind the tests." }, {}])
    const call = { arguments: { path: "a" } }
    const said = "done\n\nThe person who approved this call says: Mind the tests."
    expect(withEditNote({ note: "Mind the tests." }, call, "done")).toBe(said)
    const edited = withEditNote({ note: "Mind the tests.", isEdited: true }, call, "done")
    expect(readEditNote(edited)).toEqual({ executed: { path: "a" }, content: said })
  })

  it("rejects calls that it does not name, if its channel requires that", () => {
    const { batch } = applyDecision(
      pauseOf("a", "b"),
      decide({ decisions: { a: { action: "accept" } }, unlisted: "reject" }),
    )
    expect(batch.calls[1]?.state).toMatchObject({ answer: { outcome: "rejected", content: "TOOL_CALL_REJECTED" } })
  })

  it("gives a listed id precedence over `all`", () => {
    const { applied } = applyDecision(
      pauseOf("a", "b"),
      decide({ all: { action: "accept" }, decisions: { b: { action: "reject", content: "no" } } }),
    )
    expect(applied).toEqual([
      { id: "a", action: "accept" },
      { id: "b", action: "reject" },
    ])
  })

  it("approves a call that changes a protected path only if it names it, and rejects it also with all others", () => {
    const calls = [
      mutating("a", { disposition: "prompt" }),
      mutating("b", { disposition: "prompt", isProtected: true }),
    ]
    const pause = { checkpointId: "cp_1", batch: openBatch(1, 1, calls), decided: {} }
    const appliedBy = (over: Partial<Decide>) => applyDecision(pause, decide(over)).applied.map(({ id }) => id)
    expect(appliedBy({ all: { action: "accept" } })).toEqual(["a"])
    expect(appliedBy({ all: { action: "accept" }, decisions: { b: { action: "accept" } } })).toEqual(["a", "b"])
    expect(appliedBy({ all: { action: "accept" }, unlisted: "reject" })).toEqual(["a"])
    expect(appliedBy({ all: { action: "reject" } })).toEqual(["a", "b"])
  })

  it("returns a custom result as the call's answer", () => {
    const { batch } = applyDecision(
      pauseOf("a"),
      decide({ decisions: { a: { action: "custom_result", content: "42" } } }),
    )
    expect(batch.calls[0]?.state).toMatchObject({ answer: { outcome: "custom", content: "42" } })
  })

  it.each<[string, Partial<Decide>, string | undefined]>([
    ["all otherwise", { all: { action: "reject" } }, "already_decided"],
    ["the rest otherwise", { decisions: { a: { action: "accept" } }, unlisted: "reject" }, "already_decided"],
    ["the same", { all: { action: "accept" } }, undefined],
    ["the same of one", { decisions: { a: { action: "accept" } } }, undefined],
  ])("that says %s of calls that are all decided is answered accordingly", (_, over, code) => {
    const pause = pauseOf("a", "b")
    const { batch, decided } = applyDecision(pause, decide({ all: { action: "accept" } }))
    expect(refuseDecision({ ...pause, batch, decided }, decide(over), "r1")?.code).toBe(code)
  })

  it("applies to the remaining calls if some calls are decided otherwise", () => {
    const pause = pauseOf("a", "b")
    const { batch, decided } = applyDecision(pause, decide({ decisions: { a: { action: "accept" } } }))
    expect(refuseDecision({ ...pause, batch, decided }, decide({ all: { action: "reject" } }), "r1")).toBeUndefined()
  })

  it("is rejected if its checkpoint, run or call id does not match", () => {
    const pause = pauseOf("a")
    expect(refuseDecision(pause, decide({ checkpoint_id: "cp_0" }), "r1")?.code).toBe("checkpoint_stale")
    expect(refuseDecision(pause, decide({ run_id: "r0" }), "r1")?.code).toBe("run_mismatch")
    expect(refuseDecision(pause, decide({ decisions: { z: { action: "accept" } } }), "r1")?.code).toBe("call_not_found")
    expect(refuseDecision(undefined, decide({ checkpoint_id: "cp_1" }), "r1")?.code).toBe("checkpoint_stale")
    expect(refuseDecision(undefined, decide({}), "r1")?.code).toBe("session_not_paused")
  })

  it("is rejected if it contradicts an earlier one, and accepted if it repeats it", () => {
    const pause = pauseOf("a", "b")
    const { batch, decided } = applyDecision(pause, decide({ decisions: { a: { action: "accept" } } }))
    const later = { ...pause, batch, decided }
    expect(refuseDecision(later, decide({ decisions: { a: { action: "reject" } } }), "r1")?.code).toBe(
      "already_decided",
    )
    expect(refuseDecision(later, decide({ decisions: { a: { action: "accept" } } }), "r1")).toBeUndefined()
    expect(applyDecision(later, decide({ decisions: { a: { action: "accept" } } })).applied).toEqual([])
  })

  it("never reads a call id from the payload's prototype", () => {
    const { batch } = applyDecision(pauseOf("constructor", "toString"), decide({ decisions: {} }))
    expect(pendingCalls(batch)).toHaveLength(2)
  })

  it("runs calls in proposal order, whatever the order of the decisions", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["a", "b", "c", "d"], { minLength: 4 }), (order) => {
        let pause = pauseOf("a", "b", "c", "d")
        for (const [index, id] of order.entries()) {
          expect(nextGroup(pause.batch)).toEqual([])
          const { batch, decided } = applyDecision(
            pause,
            decide({ decision_id: `d${index}`, decisions: { [id]: { action: "accept" } } }),
          )
          pause = { ...pause, batch, decided }
        }
        expect(nextGroup(pause.batch).map((call) => call.id)).toEqual(["a"])
      }),
    )
  })

  it("changes no call that needs no decision", () => {
    const pause: OpenPause = {
      checkpointId: "cp_1",
      batch: openBatch(1, 1, [proposed("free"), mutating("a", { disposition: "prompt" })]),
      decided: {},
    }
    const { batch } = applyDecision(pause, decide({ all: { action: "reject" } }))
    expect(batch.calls[0]?.state).toEqual({ at: "ready" })
  })
})
