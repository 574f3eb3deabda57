import type { CallRule } from "../people/approval-rule.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"

/** A call that waits for a decision, as a pause has it. */
export interface PausedCall extends Readonly<Pick<PendingToolCall, "id" | "name" | "arguments" | "preview">> {
  /** It changes a protected path, or asks to leave the sandbox: a decision for all calls does not approve it. */
  readonly isProtected?: boolean
  /** Who decides about it, if a rule says that. */
  readonly rule?: CallRule
}

/** Returns a pending call as every channel shows it. */
export const shownCall = ({ isProtected, rule, ...call }: PausedCall): PendingToolCall => ({
  ...call,
  ...(isProtected === true ? { protected: true } : {}),
  ...(rule === undefined
    ? {}
    : { approval_by: { people: [...rule.approvers], require: rule.require, not_own: rule.notOwn } }),
})
