import type { PendingToolCall } from "../../contracts/approval/pause.ts"

/** A call that waits for a decision, as a pause has it. */
export interface PausedCall extends Readonly<Pick<PendingToolCall, "id" | "name" | "arguments" | "preview">> {
  /** It changes a protected path, or asks to leave the sandbox: a decision for all calls does not approve it. */
  readonly isProtected?: boolean
}

/** Returns a pending call as every channel shows it. */
export const shownCall = ({ isProtected, ...call }: PausedCall): PendingToolCall => ({
  ...call,
  ...(isProtected === true ? { protected: true } : {}),
})
