import { describe, expect, it } from "vitest"
import {
  planResume,
  resumeRequestOf,
  type ResumeState,
  type ResumeRequest,
} from "../../../../domain/delegation/plan-resume.ts"

const approval: ResumeState = {
  status: "paused",
  pause: { type: "tool_approval_required", calls: [{ id: "a" }, { id: "b" }, { id: "c" }] },
}
const question: ResumeState = { status: "paused", pause: { type: "input_required", calls: [] } }
const completed: ResumeState = { status: "completed", pause: null }

describe("planResume", () => {
  it.each<[string, ResumeRequest, readonly string[]]>([
    ["approve_all", { approve_all: true }, ["a", "b", "c"]],
    ["approve_all except the rejected calls", { approve_all: true, reject: ["b"] }, ["a", "c"]],
    ["reject_all", { reject_all: true }, []],
    ["reject_all before listed ids", { reject_all: true, approve: ["a"] }, []],
    ["listed ids, the others rejected", { approve: ["c"] }, ["c"]],
    ["rejected ids only", { reject: ["a"] }, []],
  ])("approves by %s", (_, wish, approved) => {
    const rejected = ["a", "b", "c"].filter((id) => !approved.includes(id))
    expect(planResume(wish, approval)).toEqual({ kind: "decide", approved, rejected, left: [] })
  })

  describe("with calls that only a person can approve", () => {
    const guarded = (...ids: readonly string[]): ResumeState => ({
      status: "paused",
      pause: {
        type: "tool_approval_required",
        calls: ["a", "b", "c"].map((id) => ({ id, needsPerson: ids.includes(id) })),
      },
    })

    it.each<[string, ResumeRequest, readonly string[], readonly string[]]>([
      ["leaves them pending by approve_all", { approve_all: true, reject: ["c"] }, ["a"], ["b"]],
      ["leaves one pending that is named in addition", { approve_all: true, approve: ["b"] }, ["a", "c"], ["b"]],
      ["leaves one pending that is named", { approve: ["b", "c"] }, ["c"], ["b"]],
      ["rejects them with all others", { reject_all: true }, [], []],
      ["rejects one that is not named", { approve: ["a"] }, ["a"], []],
      ["rejects one by its id", { approve_all: true, reject: ["b"] }, ["a", "c"], []],
    ])("%s", (_, wish, approved, left) => {
      const rejected = ["a", "b", "c"].filter((id) => !approved.includes(id) && !left.includes(id))
      expect(planResume(wish, guarded("b"))).toEqual({ kind: "decide", approved, rejected, left })
    })

    it("refuses an approve_all that would decide nothing", () => {
      expect(planResume({ approve_all: true }, guarded("a", "b", "c"))).toMatchObject({
        code: "VALIDATION_ERROR",
        message: expect.stringContaining("only a person can approve"),
      })
    })
  })

  it.each<[string, ResumeRequest]>([
    ["no decision", {}],
    ["empty lists", { approve: [], reject: [], approve_all: false }],
    ["both all", { approve_all: true, reject_all: true }],
    ["one id in both lists", { approve: ["a"], reject: ["a"] }],
    ["decisions with input", { approve: ["a"], input: "x" }],
    ["input for an approval", { input: "x" }],
    ["an unknown call", { approve: ["z"] }],
  ])("rejects %s", (_, wish) => {
    expect(planResume(wish, approval)).toMatchObject({ kind: "refused", code: "VALIDATION_ERROR" })
  })

  it("answers an input pause with input, and rejects decisions there", () => {
    expect(planResume({ input: "yes" }, question)).toEqual({ kind: "input", text: "yes" })
    expect(planResume({ approve_all: true }, question)).toMatchObject({ code: "VALIDATION_ERROR" })
  })

  it("starts a new run of a completed task only with input", () => {
    expect(planResume({ input: "more" }, completed)).toEqual({ kind: "follow_up", text: "more" })
    expect(planResume({ approve_all: true }, completed)).toMatchObject({ code: "VALIDATION_ERROR" })
  })

  it.each(["pending", "running", "failed", "cancelled", "timed_out"] as const)(
    "does not resume a %s task",
    (status) => {
      expect(planResume({ input: "x" }, { status, pause: null })).toMatchObject({ code: "RESUME_TASK_ERROR" })
    },
  )
})

describe("resumeRequestOf", () => {
  it("splits decisions, and leaves two or none of them for validation to reject", () => {
    const wish = resumeRequestOf({
      tool_decisions: [
        { tool_call_id: "a", approved: true },
        { tool_call_id: "b", approved: false },
      ],
    })
    expect(wish).toEqual({ approve: ["a"], reject: ["b"] })
    expect(planResume(resumeRequestOf({}), approval)).toMatchObject({ code: "VALIDATION_ERROR" })
    expect(
      planResume(resumeRequestOf({ tool_decisions: [{ tool_call_id: "a", approved: true }], prompt: "x" }), approval),
    ).toMatchObject({ code: "VALIDATION_ERROR" })
  })
})
