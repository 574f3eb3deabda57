import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forget, settle, stopAll } from "../limits/limits-rig.ts"
import { approvalCommands, expectNoneUnasked, startRequests, startSession } from "./approval-commands.ts"
import { type ApprovalRig, openApprovalRig } from "./approval-rig.ts"

let rig: ApprovalRig

beforeAll(async () => {
  rig = await openApprovalRig()
})
afterAll(() => rig.close())

describe("a caller who may not approve calls", () => {
  it("cannot make an agent run a call without the approval that policy requires, by any messages in any order", async () => {
    const sequences = fc.array(fc.oneof(...approvalCommands), { minLength: 14, maxLength: 20, size: "max" })
    await fc.assert(
      fc.asyncProperty(startRequests, sequences, async (first, commands) => {
        await forget(rig)
        try {
          await startSession(rig, { ...first, by: "approver" })
          await settle(rig)
          await fc.asyncModelRun(() => ({ model: { sessions: 1 }, real: rig }), commands)
        } finally {
          await stopAll(rig)
        }
        expectNoneUnasked(rig)
      }),
      { seed: 20_261_122, numRuns: 16, endOnFailure: true },
    )
    // The sequences did contain what they test: calls that ran without approval, and marked ones in sessions
    // that began with approval.
    const proposed = [...rig.proposed]
    const free = proposed.filter(([name]) => rig.executed.has(name) && !rig.approved.has(name))
    expect(free.length).toBeGreaterThan(20)
    const held = proposed.filter(([name, { isMarked }]) => isMarked && !rig.executed.has(name))
    expect(held.length).toBeGreaterThan(20)
    expect(held.filter(([, { sessionId }]) => rig.free.has(sessionId)).length).toBeGreaterThan(1)
  }, 900_000)
})
