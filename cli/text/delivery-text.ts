import type { DeliveryView } from "../../sessions/delivery/delivery-view.ts"
import { oneLine, plainText } from "./plain-text.ts"
import { table } from "./table.ts"

/** Deliveries for people, one line each. */
export const deliveryTable = (items: readonly DeliveryView[]): string =>
  table(
    ["ID", "STATUS", "TRIES", "EVENT", "TASK", "RECEIVER", "NEXT TRY", "LAST ERROR"],
    items.map((item) => [
      item.id,
      item.status,
      String(item.attempts),
      item.type,
      item.session_id,
      plainText(item.receiver),
      item.next_try_at ?? "",
      oneLine(item.last_error ?? "", 80),
    ]),
  )
