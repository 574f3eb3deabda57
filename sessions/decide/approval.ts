import type { PauseType, PendingToolCall } from "../../contracts/approval/pause.ts"

/** All that waits for a person in one session. */
export interface Approval {
  readonly session_id: string
  readonly session_key: string
  readonly root_session_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  readonly type: PauseType
  readonly agent: string
  readonly title: string | null
  readonly message: string
  readonly pending: readonly PendingToolCall[]
  readonly opened_at: string
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
