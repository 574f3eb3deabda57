import type { DeliveryStatus } from "../../domain/delivery/delivery-policy.ts"
import type { DeliveryRow } from "../../store/store.ts"

/** A delivery as adapters show it, without its body, which may contain approval links. */
export interface DeliveryView {
  readonly id: string
  readonly kind: "webhook" | "channel"
  readonly type: string
  readonly session_id: string
  readonly run_id: string
  /** Host of the receiver; the rest of the URL may be secret. */
  readonly receiver: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly last_error: string | null
  readonly next_try_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export const deliveryView = (row: DeliveryRow): DeliveryView => ({
  id: row.key,
  kind: row.kind,
  type: row.event,
  session_id: row.sessionId,
  run_id: row.runId,
  receiver: URL.parse(row.url)?.host ?? "",
  status: row.status,
  attempts: row.attempts,
  last_error: row.lastError,
  next_try_at: row.nextTryAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
})
