import type { z } from "zod"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { approvalSchema } from "../../contracts/http/approvals.ts"

/** All that waits for a person in one session. */
export interface Approval extends Readonly<Omit<z.infer<typeof approvalSchema>, "pending">> {
  readonly pending: readonly PendingToolCall[]
}

/** Calls that wait for a decision in a session and below it; each names the session that asks. */
export interface PendingCalls {
  readonly run_id: string | null
  readonly checkpoint_id: string | null
  readonly pending: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly session_id: string
    readonly checkpoint_id: string
  }[]
}
