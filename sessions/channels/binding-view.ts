import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import type { BindingRow } from "../../store/store.ts"

/** A binding as adapters show it. Durations in milliseconds; 0: it never expires for this reason. */
export interface BindingView {
  readonly session_id: string
  readonly channel: string
  readonly thread_key: string
  readonly idle_ms: number
  readonly max_age_ms: number
  readonly bound_at: string
  readonly active_at: string
  readonly expires_at: string | null
}

export const bindingView = (row: BindingRow): BindingView => {
  const end = bindingExpiresAtMs(row)
  return {
    session_id: row.sessionId,
    channel: row.channel,
    thread_key: row.threadKey,
    idle_ms: row.idleMs,
    max_age_ms: row.maxAgeMs,
    bound_at: row.boundAt,
    active_at: row.activeAt,
    expires_at: end === undefined ? null : new Date(end).toISOString(),
  }
}
