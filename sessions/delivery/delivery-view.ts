import type { DeliveryFilter, DeliveryRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { Page } from "../rows/page.ts"
import { viewOf } from "../view-of.ts"

const fields = [
  ...(["id", "kind", "type", "session_id", "run_id", "receiver", "status", "attempts"] as const),
  ...(["last_error", "next_try_at", "created_at", "updated_at"] as const),
]
const named = { key: "id", event: "type" } as const

/** Returns a delivery as adapters show it, without its body, which may contain approval links, and with the host of its receiver: the rest of the URL may be secret. */
export const deliveryView = (row: DeliveryRow) =>
  viewOf(fields, { row, named, computed: { receiver: URL.parse(row.url)?.host ?? "" } })

export type DeliveryView = Readonly<ReturnType<typeof deliveryView>>

/** Returns deliveries, newest first. */
export const listDeliveries = async (
  { store }: Pick<SessionsContext, "store">,
  filter: DeliveryFilter,
): Promise<Page<DeliveryView>> => ({
  items: (await store.deliveries.list(filter)).map(deliveryView),
  next_cursor: null,
})
