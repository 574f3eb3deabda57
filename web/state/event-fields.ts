import type { PauseReason, PendingToolCall } from "../../contracts/approval/pause.ts"
import type { SessionEvent } from "../../contracts/event.ts"

/** The own fields of the events that the page reads; the server's contracts keep their shape open. */
interface Fields {
  readonly step?: number
  readonly seq?: number
  readonly reason?: string
  readonly attempt?: number
  readonly to?: string
  readonly next_at?: string
  readonly call_id?: string
  readonly name?: string
  readonly outcome?: string
  readonly label?: string | null
  readonly agent?: string
  readonly child_session_id?: string
  readonly child_run_id?: string
  readonly stop_reason?: string | null
  readonly status?: string
  readonly by?: string
  readonly via?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly cost_usd?: number | null
  readonly pause_reason?: PauseReason
}

export const eventFields = (event: SessionEvent): Fields => event as Fields & SessionEvent

/** Returns the calls that a pause waited for when it opened. */
export const pausedCallsOf = (event: SessionEvent): readonly PendingToolCall[] =>
  eventFields(event).pause_reason?.pending_tool_calls ?? []
