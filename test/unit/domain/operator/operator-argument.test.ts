import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decideSchema } from "../../../../contracts/approval/decision.ts"
import {
  checkApprove,
  checkDecide,
  checkMessage,
  checkReject,
  checkText,
} from "../../../../domain/operator/operator-argument.ts"

describe("an operator's argument of a signal", () => {
  it("approves all, one id or a list", () => {
    expect(checkApprove("all")).toEqual({ ok: true, value: "all" })
    expect(checkApprove("call_1")).toEqual({ ok: true, value: ["call_1"] })
    expect(checkApprove(["a", "b"])).toEqual({ ok: true, value: ["a", "b"] })
  })

  it.each([undefined, null, "", [], [1], {}, { ids: 3 }, 7, true])("is not an approval if it is %j", (value) => {
    expect(checkApprove(value).ok).toBe(false)
  })

  it("rejects with a reason", () => {
    expect(checkReject({ ids: ["a"], reason: "too risky" })).toEqual({
      ok: true,
      value: { ids: ["a"], reason: "too risky" },
    })
    expect(checkReject({ reason: "all of it" })).toEqual({ ok: true, value: { ids: "all", reason: "all of it" } })
  })

  it("may be a text of up to 64 KB", () => {
    expect(checkText("x".repeat(65_536)).ok).toBe(true)
    expect(checkText("x".repeat(65_537)).ok).toBe(false)
    expect(checkText("  ").ok).toBe(false)
  })

  const decision = fc.oneof(
    fc.constant({ action: "accept" }),
    fc.record({ action: fc.constant("reject"), content: fc.string() }, { requiredKeys: ["action"] }),
    fc.record({ action: fc.constant("custom_result"), content: fc.string() }),
    fc.record(
      {
        action: fc.constant("edit"),
        arguments: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.anything()),
        arguments_id: fc.oneof(fc.string(), fc.anything()),
      },
      { requiredKeys: ["action"] },
    ),
    fc.record({ action: fc.string(), content: fc.anything() }),
    fc.anything(),
  )
  const payload = fc.oneof(
    fc.record(
      {
        decision_id: fc.oneof(fc.string(), fc.anything()),
        run_id: fc.oneof(fc.string(), fc.integer()),
        checkpoint_id: fc.string(),
        decisions: fc.dictionary(fc.string({ minLength: 1 }), decision),
        unlisted: fc.constantFrom("pending", "reject", "other"),
        all: decision,
        by: fc.string(),
        extra: fc.integer(),
      },
      { requiredKeys: ["decision_id", "decisions"] },
    ),
    fc.anything(),
  )

  it("of `decide` is checked as by the schema", () => {
    fc.assert(
      fc.property(payload, (value) => {
        expect(checkDecide(value).ok).toBe(decideSchema.safeParse(value).success)
      }),
      { numRuns: 500 },
    )
  })

  it("never makes the parser throw, whatever arrives", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const check of [checkApprove, checkReject, checkText, checkDecide, checkMessage])
          expect(typeof check(value).ok).toBe("boolean")
      }),
    )
  })
})
