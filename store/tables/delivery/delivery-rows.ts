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

export interface Deliveries {
  /** Stores a delivery. Idempotent by key: a repetition keeps the first body. Writes nothing for a deleted session. */
  create(delivery: NewDelivery): Promise<void>
  get(key: string): Promise<DeliveryRow | undefined>
  /** Returns deliveries, newest first. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRow[]>
  /** Returns pending deliveries whose next attempt was due before this time, oldest first: the process that should attempt it may have died. */
  listOverdue(before: string, limit: number): Promise<readonly DeliveryRow[]>
  /** Returns the pending messages to a thread in the order in which they were stored. */
  pendingInThread(thread: Pick<DeliveryRow, "url" | "body">): Promise<readonly Pick<DeliveryRow, "key">[]>
  countPending(): Promise<number>
  /** Changes a row that has one of the states `from`; returns false if it has another one or does not exist. */
  patch(
    key: string,
    patch: Partial<Pick<DeliveryRow, "status" | "attempts" | "lastError" | "nextTryAt">>,
    from: readonly DeliveryStatus[],
  ): Promise<boolean>
}
