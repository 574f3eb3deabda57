import type { DeliveryPolicy, DeliveryTry } from "../../domain/delivery/delivery-policy.ts"

export interface DeliverInput {
  readonly key: string
  /** Number of the attempt in this execution, from 1. */
  readonly attempt: number
  readonly policy: DeliveryPolicy
}

export interface DeliveryActivities {
  /** Sends a delivery once. A receiver's refusal is an answer, not a failure of the activity. */
  deliver(input: DeliverInput): Promise<DeliveryTry>
  /** Records that the delivery is not attempted again. */
  giveUpDelivery(input: { readonly key: string; readonly reason: string }): Promise<void>
}
