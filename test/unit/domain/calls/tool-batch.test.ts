import { describe, expect, it } from "vitest"
import {
  finishCall,
  isFinishDue,
  refuseFinish,
  isBatchComplete,
  markWritten,
  nextGroup,
  openBatch,
  pendingCalls,
  settleUnstarted,
  unwrittenAnswers,
  withCallState,
} from "../../../../domain/calls/tool-batch.ts"
import { mutating, proposed } from "../batch-builder.ts"

const ids = (calls: readonly { readonly id: string }[]) => calls.map((call) => call.id)

describe("a batch of tool calls", () => {
  it("gives each call a position after the assistant message, in proposal order", () => {
    const batch = openBatch(7, 2, [proposed("a"), mutating("b"), proposed("c")])
    expect(batch.calls.map((call) => call.resultSeq)).toEqual([8, 9, 10])
  })

  it("starts no call while one call waits for a decision", () => {
    const batch = openBatch(1, 1, [proposed("a"), mutating("b", { disposition: "prompt" })])
    expect(nextGroup(batch)).toEqual([])
    expect(ids(pendingCalls(batch))).toEqual(["b"])
  })

  it("runs adjacent read-only calls concurrently and a mutating call alone, in proposal order", () => {
    let batch = openBatch(1, 1, [proposed("a"), proposed("b"), mutating("c"), proposed("d")])
    const order: string[][] = []
    for (let group = nextGroup(batch); group.length > 0; group = nextGroup(batch)) {
      order.push(ids(group))
      for (const { id } of group) batch = withCallState(batch, id, { at: "done" })
    }
    expect(order).toEqual([["a", "b"], ["c"], ["d"]])
    expect(isBatchComplete(batch)).toBe(true)
  })

  it("answers calls that cannot run or that policy rejects without running them", () => {
    const batch = openBatch(1, 1, [
      proposed("a", { kind: "invalid", problem: "there is no tool X" }),
      mutating("b", { disposition: "refuse", problem: "policy never allows Bash" }),
    ])
    expect(unwrittenAnswers(batch).map((call) => call.state)).toEqual([
      { at: "settled", written: false, answer: { outcome: "error", content: "there is no tool X" } },
      {
        at: "settled",
        written: false,
        answer: { outcome: "rejected", content: "TOOL_CALL_REJECTED: policy never allows Bash" },
      },
    ])
    expect(isBatchComplete(batch)).toBe(true)
    expect(unwrittenAnswers(markWritten(batch))).toEqual([])
  })

  it("counts a call as asked about once it waits for a decision, and asks by id if it changes a protected path by now", () => {
    const batch = openBatch(1, 1, [mutating("a", { disposition: "auto", grantId: "grant_1" })])
    const [asked] = withCallState(batch, "a", { at: "pending", again: "why" }).calls
    expect(asked).toMatchObject({ disposition: "prompt" })
    for (const field of ["grantId", "isProtected"]) expect(asked).not.toHaveProperty(field)
    const [byId] = withCallState(batch, "a", { at: "pending", again: "why", changesProtected: true }).calls
    expect(byId).toMatchObject({ disposition: "prompt", isProtected: true })
    expect(withCallState(batch, "a", { at: "done" }).calls[0]).toMatchObject({ disposition: "auto" })
  })

  it("skips calls that have not started and keeps the results of finished calls", () => {
    const batch = withCallState(openBatch(1, 1, [mutating("a"), mutating("b")]), "a", { at: "done" })
    const skipped = settleUnstarted(batch, { outcome: "skipped", content: "skipped due to steering" })
    expect(skipped.calls.map((call) => call.state.at)).toEqual(["done", "settled"])
  })

  it("finishes only when every other call has its result", () => {
    const batch = openBatch(1, 1, [mutating("a"), proposed("f", { name: "finish", kind: "finish" })])
    expect(ids(nextGroup(batch))).toEqual(["a"])
    const done = withCallState(batch, "a", { at: "done" })
    expect(nextGroup(done)).toEqual([])
    expect(finishCall(done)?.id).toBe("f")
  })

  it("does not finish while sub-agents are running, and names them to the model", () => {
    const batch = openBatch(1, 1, [mutating("a"), proposed("f", { name: "finish", kind: "finish" })])
    expect(isFinishDue(batch)).toBe(false)
    const done = withCallState(batch, "a", { at: "done" })
    expect(isFinishDue(done)).toBe(true)
    const refused = refuseFinish(done, ["kid"])
    expect(finishCall(refused)).toBeUndefined()
    expect(unwrittenAnswers(refused)[0]?.state).toMatchObject({ answer: { outcome: "error" } })
  })
})
