import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import type { BindingRow } from "../../store/store.ts"
import { viewOf } from "../view-of.ts"

const fields = [
  ...(["session_id", "channel", "thread_key", "idle_ms", "max_age_ms", "bound_at", "active_at"] as const),
  "expires_at" as const,
]

/** Returns a binding as adapters show it. Durations in milliseconds; 0: it never expires for this reason. */
export const bindingView = (row: BindingRow) => {
  const end = bindingExpiresAtMs(row)
  return viewOf(fields, { row, computed: { expires_at: end === undefined ? null : new Date(end).toISOString() } })
}

export type BindingView = Readonly<ReturnType<typeof bindingView>>
