import type { z } from "zod"
import type { approvalSchema } from "../../contracts/http/approvals.ts"
import type { sessionListSchema, TranscriptRowBody } from "../../contracts/http/sessions.ts"
import type { Session } from "../../contracts/session/session.ts"

export type Approval = z.infer<typeof approvalSchema>
export type PendingCall = Approval["pending"][number]
export type SessionList = z.infer<typeof sessionListSchema>
export type TranscriptRow = TranscriptRowBody

export interface SessionTree extends Session {
  readonly children: readonly SessionTree[]
}
