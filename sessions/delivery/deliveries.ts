import { unknownDelivery } from "../../domain/caller/missing-targets.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import type { DeliveryRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { callEngine, requestWork } from "../../engine/call-engine.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { isExecutionGone } from "../../engine/translate-temporal-error.ts"
import { deliveryView, type DeliveryView } from "./delivery-view.ts"
import { wakeNextInThread } from "./wake-next-in-thread.ts"
import { deliveryInputOf, startDelivery } from "./start-delivery.ts"

const requireDelivery = async ({ store }: SessionsContext, key: string): Promise<DeliveryRow> => {
  const row = await store.deliveries.get(key)
  if (row === undefined) throw unknownDelivery(key)
  return row
}

const audit = async ({ store }: SessionsContext, row: DeliveryRow, entry: { action: string; actor: Actor }) =>
  store.audit.record({
    sessionId: row.sessionId,
    runId: row.runId,
    action: entry.action,
    ...auditedActor(entry.actor),
    detail: { delivery: row.key, was: row.status },
  })

/** Retries or cancels the delivery's execution; returns false if none is open. */
const requestOfDelivery = async (
  context: SessionsContext,
  key: string,
  action: "retry" | "cancel",
): Promise<boolean> => {
  const handle = context.temporal.workflow.getHandle(deliveryWorkflowId(key))
  try {
    // What is dismissed in the store is not sent, whenever its execution closes.
    await (action === "cancel"
      ? callEngine(context, () => handle.cancel())
      : requestWork(context, () => handle.signal("retry", undefined)))
    return true
  } catch (error) {
    if (isExecutionGone(error)) return false
    throw error
  }
}

/**
 * Retries a delivery: a pending one at once, a failed or dismissed one from the first attempt. A delivered one is not changed.
 * @throws AdjutantError `delivery_not_found`, `temporal_unavailable`
 */
export const retryDelivery = async (context: SessionsContext, key: string, actor: Actor): Promise<DeliveryView> => {
  const row = await requireDelivery(context, key)
  if (row.status === "delivered") return deliveryView(row)
  await audit(context, row, { action: "delivery-retry", actor })
  await context.store.deliveries.patch(key, { status: "pending", nextTryAt: null }, ["failed", "dismissed"])
  if (row.status !== "pending" || !(await requestOfDelivery(context, key, "retry")))
    await requestWork(context, () => startDelivery(context, deliveryInputOf(row)))
  return deliveryView(await requireDelivery(context, key))
}

/**
 * Dismisses a delivery: it is not attempted again. Its body is kept with its session.
 * @throws AdjutantError `delivery_not_found`, `temporal_unavailable`
 */
export const dismissDelivery = async (context: SessionsContext, key: string, actor: Actor): Promise<DeliveryView> => {
  const row = await requireDelivery(context, key)
  if (await context.store.deliveries.patch(key, { status: "dismissed", nextTryAt: null }, ["pending", "failed"])) {
    await audit(context, row, { action: "delivery-dismiss", actor })
    if (row.status === "pending") await requestOfDelivery(context, key, "cancel")
    await wakeNextInThread(context, row)
  }
  return deliveryView(await requireDelivery(context, key))
}
