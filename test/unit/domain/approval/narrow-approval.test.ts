import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type RunApproval, approvesMore, narrowApproval } from "../../../../domain/approval/narrow-approval.ts"
import { acceptMessage } from "../../../../domain/session/accept-message.ts"
import { checkMessage } from "../../../../domain/operator/operator-argument.ts"
import type { SessionMessage } from "../../../../domain/session/session-message.ts"
import { limitApproval, newRun, type SessionState } from "../../../../domain/session/session-state.ts"
import { sessionState } from "../session-state-builder.ts"

const approvals: fc.Arbitrary<RunApproval> = fc.oneof(
  fc.constantFrom<RunApproval>("all", "policy"),
  fc.subarray(["Bash", "Write", "mcp__*", "mcp__docs__*", "mcp__docs__echo"]),
)

describe("narrowApproval", () => {
  it("returns a policy that approves what both approve, and nothing else", () => {
    fc.assert(
      fc.property(approvals, approvals, (left, right) => {
        const both = narrowApproval(left, right)
        expect(approvesMore(left, both)).toBe(false)
        expect(approvesMore(right, both)).toBe(false)
        expect(approvesMore(both, right) && !approvesMore(left, right)).toBe(false)
        expect(narrowApproval(left, both)).toEqual(both)
      }),
    )
  })
})

const stateOf = (pause: "none" | "asks"): SessionState => {
  const run = newRun({ run_id: "r", snapshot_hash: "h" })
  const at = { checkpointId: "cp", calls: [], message: "", decided: {} }
  if (pause === "asks") run.pause = { ...at, type: "input_required", cause: "text" }
  return sessionState(run)
}

const message = (fields: Partial<SessionMessage>): SessionMessage => ({
  id: "m",
  type: "steering",
  source: "steering",
  approval: "policy",
  ...fields,
})

describe("a message whose sender may approve less than everything", () => {
  it("narrows the run that reads it, and no other run", () => {
    const steered = stateOf("none")
    acceptMessage(steered, "running", message({}))
    expect(steered.run.narrowedApproval).toBe("policy")
    const answered = stateOf("asks")
    acceptMessage(answered, "asking", message({ type: "message", source: "input" }))
    expect(answered.run.narrowedApproval).toBe("policy")
    const queued = stateOf("none")
    acceptMessage(queued, "running", message({ type: "follow_up", source: "follow_up" }))
    expect(queued.run.narrowedApproval).toBeUndefined()
    expect(queued.followUps).toMatchObject([{ approval: "policy" }])
  })

  it("never restores what an earlier message removed", () => {
    fc.assert(
      fc.property(fc.array(approvals, { maxLength: 5 }), (given) => {
        const { run } = stateOf("none")
        for (const approval of given) limitApproval(run, approval)
        for (const approval of given) expect(approvesMore(approval, run.narrowedApproval ?? "all")).toBe(false)
      }),
    )
  })

  it.each([1, true, {}, ["x".repeat(201)], [1], "everything", Array.from({ length: 501 }, () => "Bash")])(
    "is rejected if its limits cannot be read: %j",
    (approval) => {
      expect(checkMessage({ ...message({}), approval })).toMatchObject({ ok: false })
    },
  )
})
