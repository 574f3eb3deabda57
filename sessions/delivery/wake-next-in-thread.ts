import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import type { DeliveryRow, Store } from "../../store/store.ts"

interface DeliveryHandles {
  readonly workflow: {
    getHandle(workflowId: string): { signal(name: string, payload: undefined): Promise<void> }
  }
}

/**
 * Wakes the message that is next in a thread, after the one before it was delivered, given up or dismissed. Best effort: a waiting message also looks
 * by itself from time to time.
 */
export const wakeNextInThread = async (
  { store, temporal }: { readonly store: Pick<Store, "deliveries">; readonly temporal: DeliveryHandles },
  row: DeliveryRow,
): Promise<void> => {
  if (row.kind !== "channel") return
  const next = await store.deliveries.nextInThread(row)
  if (next === undefined) return
  await temporal.workflow
    .getHandle(deliveryWorkflowId(next.key))
    .signal("retry", undefined)
    .catch(() => undefined)
}
