import type { DeliveryPolicy, DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"

/** One announcement to a destination. Its status does not depend on the run that it reports. */
export interface DeliveryRow {
  /** Also the message id that the receiver gets, the same with every attempt. */
  readonly key: string
  readonly sessionId: string
  readonly runId: string
  readonly kind: "webhook" | "channel"
  readonly event: string
  readonly url: string
  /** Name of the environment variable with the signing secret. */
  readonly secretEnv: string
  /** The exact body that is sent. */
  readonly body: string
  readonly policy: DeliveryPolicy
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly lastError: string | null
  readonly nextTryAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type NewDelivery = Pick<
  DeliveryRow,
  "key" | "sessionId" | "runId" | "kind" | "event" | "url" | "secretEnv" | "body" | "policy"
>

export interface DeliveryFilter {
  readonly status?: DeliveryStatus
  readonly sessionId?: string
  readonly limit?: number
}
