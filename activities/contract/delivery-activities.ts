import type { DeliveryPolicy, DeliveryTry } from "../../domain/delivery/delivery-policy.ts"

export interface DeliverInput {
  readonly key: string
  /** Tries of this execution, from 1. */
  readonly attempt: number
  readonly policy: DeliveryPolicy
}

export interface DeliveryActivities {
  /** Sends a delivery once. A receiver's refusal is an answer, not a failure of the activity. */
  deliver(input: DeliverInput): Promise<DeliveryTry>
  /** Writes down that nothing more is tried. */
  giveUpDelivery(input: { readonly key: string; readonly reason: string }): Promise<void>
}
