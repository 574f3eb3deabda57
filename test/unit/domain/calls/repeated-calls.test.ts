import { describe, expect, it } from "vitest"
import { countRepeats, noProgress, type RepeatedCall } from "../../../../domain/calls/repeated-calls.ts"
import { applyDecision } from "../../../../domain/calls/apply-decision.ts"
import { openBatch, type ToolBatch, withCallState } from "../../../../domain/calls/tool-batch.ts"
import { mutating, proposed } from "../batch-builder.ts"

const rejected = (id: string, hash: string, named = true): ToolBatch => {
  const batch = openBatch(1, 1, [
    mutating(id, { hash, disposition: "prompt" }),
    mutating("z", { disposition: "prompt" }),
  ])
  const reject = { action: "reject", content: "No." } as const
  const decision = named ? { [id]: reject, z: { action: "accept" } as const } : { z: { action: "accept" } as const }
  const decide = { decision_id: "d", decisions: decision, unlisted: "reject", by: "a", via: "cli" } as const
  const { batch: decided } = applyDecision({ checkpointId: "cp", batch, decided: {} }, decide)
  return { ...decided, calls: decided.calls.filter((call) => call.id === id) }
}

const failing = (hash: string, failed: string): ToolBatch =>
  withCallState(openBatch(1, 1, [proposed("a", { hash })]), "a", { at: "done", failed })

const after = (batches: readonly ToolBatch[]): RepeatedCall | undefined => {
  let last: RepeatedCall | undefined
  for (const batch of batches) last = countRepeats(last, batch)
  return last
}

const times = (count: number, batch: ToolBatch): readonly ToolBatch[] => Array.from({ length: count }, () => batch)

describe("repeated calls", () => {
  it("make no progress after three rejections of one call, whatever the reasons", () => {
    expect(noProgress(after(times(2, rejected("a", "h1"))))).toBeUndefined()
    expect(noProgress(after(times(3, rejected("a", "h1"))))).toContain("3 times in a row (last reason: No.)")
    expect(after([...times(2, rejected("a", "h1")), rejected("a", "h2")])?.count).toBe(1)
  })

  it("are not counted where a decision merely named others", () => {
    expect(after([rejected("a", "h1"), rejected("a", "h1", false), rejected("a", "h1")])?.count).toBe(2)
  })

  it("make no progress after ten equal failures, and start again with another result or a success", () => {
    expect(noProgress(after(times(9, failing("h1", "error: x"))))).toBeUndefined()
    expect(noProgress(after(times(10, failing("h1", "error: x"))))).toContain("failed 10 times in a row")
    expect(after([...times(9, failing("h1", "error: x")), failing("h1", "error: y")])?.count).toBe(1)
    const success = withCallState(openBatch(1, 1, [proposed("a", { hash: "h1" })]), "a", { at: "done" })
    expect(after([...times(9, failing("h1", "error: x")), success])).toBeUndefined()
  })
})
