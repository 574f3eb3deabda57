import type { DeliveryPolicy, DeliveryStatus } from "../../../domain/delivery/delivery-policy.ts"

/** One announcement to a destination. Its status does not depend on the run that it reports. */
export interface DeliveryRow {
  /** Also the id that the receiver sees, the same with every try. */
  readonly key: string
  readonly sessionId: string
  readonly runId: string
  readonly kind: "webhook" | "channel"
  readonly event: string
  readonly url: string
  /** Name of the variable that holds the signing secret. */
  readonly secretEnv: string
  /** What is sent, byte for byte. */
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
  /** Idempotent by key: a repetition keeps the first body. Nothing is written for a deleted session. */
  create(delivery: NewDelivery): Promise<void>
  get(key: string): Promise<DeliveryRow | undefined>
  /** Newest first. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRow[]>
  /** Pending ones whose next try was due before this time, oldest first: the process that was to make it may be gone. */
  listOverdue(before: string, limit: number): Promise<readonly DeliveryRow[]>
  countPending(): Promise<number>
  /** Changes a row that has one of these states; false where it has another one, or is gone. */
  patch(
    key: string,
    patch: Partial<Pick<DeliveryRow, "status" | "attempts" | "lastError" | "nextTryAt">>,
    from: readonly DeliveryStatus[],
  ): Promise<boolean>
}
