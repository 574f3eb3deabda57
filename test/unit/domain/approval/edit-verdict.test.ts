import { describe, expect, it } from "vitest"
import { type EditedCall, editVerdict } from "../../../../domain/approval/edit-verdict.ts"

const edited = (
  over: Partial<EditedCall["after"]>,
  { wasProtected = false, hasSameFiles = true } = {},
): EditedCall => ({
  before: { isProtected: wasProtected },
  after: { kind: "tool", disposition: "prompt", preview: "shown", ...over },
  hasSameFiles,
})

describe("a call with new arguments", () => {
  it("runs, since its approver named it, also if it changes the protected path that it changed before", () => {
    expect(editVerdict(edited({}))).toEqual({ kind: "run", isProtected: false, preview: "shown" })
    expect(editVerdict(edited({ isProtected: true }, { wasProtected: true }))).toMatchObject({ kind: "run" })
  })

  it("is asked about again if it changes a protected path that the approver was not shown", () => {
    expect(editVerdict(edited({ isProtected: true }))).toMatchObject({ kind: "ask", isProtected: true })
    const another = edited({ isProtected: true }, { wasProtected: true, hasSameFiles: false })
    expect(editVerdict(another)).toMatchObject({ kind: "ask", reason: "the new arguments change a protected path" })
  })

  it("is refused if its tool or policy does not accept them, whatever it changes", () => {
    expect(editVerdict(edited({ kind: "invalid", problem: "path is missing", isProtected: true }))).toEqual({
      kind: "refuse",
      reason: "the new arguments are refused: path is missing",
    })
    expect(editVerdict(edited({ disposition: "refuse" }))).toMatchObject({
      kind: "refuse",
      reason: "the new arguments are refused: policy does not allow them",
    })
  })
})
