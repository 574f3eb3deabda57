import type { z } from "zod"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { approvalSchema } from "../../contracts/http/approvals.ts"

/** Everything in one session that waits for a person. */
export interface Approval extends Readonly<Omit<z.infer<typeof approvalSchema>, "pending">> {
  readonly pending: readonly PendingToolCall[]
}

/** Which approvals a list contains; without a filter, all. */
export interface ApprovalFilter {
  /** Only those of this session and everything below it. */
  readonly root?: string
  /** Only those in trees that this caller started. */
  readonly caller?: string
}

/** The pending calls of a session and its descendants, each with its session. */
export interface PendingCalls {
  readonly run_id: string | null
  readonly checkpoint_id: string | null
  readonly pending: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly preview: CallPreview
    /** It changes a protected file, or asks to leave the sandbox: an approval of all calls does not include it. */
    readonly protected?: true | undefined
    readonly session_id: string
    readonly checkpoint_id: string
  }[]
}
