import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { BindingRow, SessionRow, Store } from "../../store/store.ts"

interface ThreadMessage {
  /** Also the message id that the channel gets, the same with every attempt. */
  readonly key: string
  readonly row: SessionRow
  readonly runId: string
  readonly event: string
  readonly binding: BindingRow
  readonly text: string
}

/** Stores a message to the thread of a session. Returns the delivery to start. */
export const storeThreadMessage = async (
  store: Pick<Store, "deliveries" | "bindings">,
  { key, row, runId, event, binding, text }: ThreadMessage,
): Promise<DeliveryInput> => {
  const { channel, threadKey, outbound } = binding
  const { url, secretEnv, policy } = outbound
  const body = JSON.stringify({ thread_key: threadKey, text, message_id: key, session_id: row.id })
  await store.deliveries.create({ key, sessionId: row.id, runId, kind: "channel", event, url, secretEnv, body, policy })
  await store.bindings.touch(row.id)
  return { key, policy, summary: `${event} of ${row.id} to channel ${channel}` }
}
