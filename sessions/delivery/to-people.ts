import { createHash } from "node:crypto"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type DeliveryInput, deliveryPolicyOf } from "../../domain/delivery/delivery-policy.ts"
import type { Notice, StoredNotice } from "../../domain/notify/notice.ts"
import { destinationAddress, secretEnvOf } from "../../domain/notify/destination.ts"
import type { NotifyDestination } from "../../contracts/config/notify.ts"
import type { NewDelivery, SessionRow, Store } from "../../store/store.ts"
import { deliveryInputOf } from "./start-delivery.ts"

interface ToPeople {
  readonly row: Pick<SessionRow, "id">
  readonly runId: string
  readonly event: string
  /** Distinguishes messages about the same event of one run. */
  readonly occurrence: string
  readonly kind: Notice["kind"]
  readonly snapshot: Pick<RunSnapshot, "notify" | "timing">
}

/** The key of a message to a destination: the same across retries and workers. */
const noticeKey = ({ storeId }: Pick<Store, "storeId">, parts: readonly string[]): string =>
  `dlv_${createHash("sha256")
    .update(JSON.stringify([storeId, "notice", ...parts]))
    .digest("hex")
    .slice(0, 32)}`

const storeNotice = async (store: Pick<Store, "deliveries">, delivery: NewDelivery): Promise<DeliveryInput> => {
  await store.deliveries.create(delivery)
  return deliveryInputOf(delivery)
}

/** Stores the messages about an event to the people that the run names for it, and returns the deliveries to start. Idempotent. */
export const toPeople = async (
  store: Pick<Store, "deliveries" | "storeId">,
  { row, runId, event, occurrence, kind, snapshot }: ToPeople,
  noticeFor: (destination: NotifyDestination) => Promise<Notice>,
): Promise<readonly DeliveryInput[]> => {
  const { notify, timing } = snapshot
  const inputs: DeliveryInput[] = []
  for (const name of new Set(notify?.on[kind] ?? [])) {
    const destination = notify?.destinations[name]
    if (destination === undefined) continue
    const body: StoredNotice = { name, destination, notice: await noticeFor(destination) }
    inputs.push(
      await storeNotice(store, {
        ...{ key: noticeKey(store, [row.id, runId, event, occurrence, name]), sessionId: row.id, runId, event },
        ...{ kind: "destination", url: destinationAddress(destination), secretEnv: secretEnvOf(destination) },
        ...{ body: JSON.stringify(body), policy: deliveryPolicyOf(timing) },
      }),
    )
  }
  return inputs
}

/** Stores the message that replaces an earlier one, and says what became of its pause. */
export const toPeopleAgain = async (
  store: Pick<Store, "deliveries" | "storeId">,
  before: NewDelivery,
  { body, outcome }: { readonly body: StoredNotice; readonly outcome: string },
): Promise<DeliveryInput> => {
  const update: StoredNotice = { ...body, update: { of: before.key, outcome } }
  const { sessionId, runId, kind, url, secretEnv, policy } = before
  const delivery = { sessionId, runId, kind, url, secretEnv, policy, event: decidedEvent } as const
  return await storeNotice(store, { ...delivery, key: updateKeyOf(store, before.key), body: JSON.stringify(update) })
}

export const decidedEvent = "run-decided"

export const updateKeyOf = (store: Pick<Store, "storeId">, key: string): string => noticeKey(store, [decidedEvent, key])
