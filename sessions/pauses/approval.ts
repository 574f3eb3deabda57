import type { z } from "zod"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { approvalSchema } from "../../contracts/http/approvals.ts"
import type { pendingToolsSchema } from "../../contracts/http/tool-decisions.ts"

/** Everything in one session that waits for a person. */
export interface PendingApproval extends Readonly<Omit<z.infer<typeof approvalSchema>, "pending">> {
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
export type PendingCalls = Readonly<z.infer<typeof pendingToolsSchema>>
