import type { EditVerdict, ProposedCall } from "../run/tool-batch.ts"

/** A call before and after an approver gave it other arguments. */
export interface EditedCall {
  readonly before: { readonly isProtected: boolean }
  /** The same call with the new arguments, classified again. */
  readonly after: Pick<ProposedCall, "kind" | "disposition" | "isProtected" | "problem" | "preview">
  /** Whether both change the same files. */
  readonly hasSameFiles: boolean
}

/**
 * Returns whether a call may run with new arguments. The approver approves them by naming them; what policy refuses stays refused, and a protected
 * path that the call did not change before is asked about again, so that the approver sees what it is.
 */
export const editVerdict = ({ before, after, hasSameFiles }: EditedCall): EditVerdict => {
  const { kind, disposition, isProtected = false, problem, preview } = after
  if (kind === "invalid" || disposition === "refuse")
    return { kind: "refuse", reason: `the new arguments are refused: ${problem ?? "policy does not allow them"}` }
  if (isProtected && !(before.isProtected && hasSameFiles))
    return { kind: "ask", isProtected, preview, reason: "the new arguments change a protected path" }
  return { kind: "run", isProtected, preview }
}
