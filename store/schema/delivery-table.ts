import {
  type DeliveryPolicy,
  type DeliveryStatus,
  deliveryKinds,
  deliveryStatuses,
} from "../../domain/delivery/delivery-policy.ts"
import { describeTable, type NewOf, type PatchOf, type RowOf } from "../columns/describe-table.ts"
import { json, nameOf, number, orNull, text, time } from "../columns/kinds.ts"

export const deliveryTable = describeTable({
  /** Also the message id that the receiver gets, the same with every attempt. */
  key: { ...text, create: "required" },
  sessionId: { ...text, create: "required", isJoined: true },
  sessionNum: { ...number, isHidden: true },
  runId: { ...text, create: "required" },
  kind: { ...nameOf(deliveryKinds), create: "required" },
  event: { ...text, create: "required" },
  url: { ...text, create: "required" },
  /** Name of the environment variable with the signing secret. */
  secretEnv: { ...text, create: "required" },
  /** The exact body that is sent. */
  body: { ...text, create: "required" },
  policy: { ...json<DeliveryPolicy>(), create: "required" },
  status: { ...nameOf(deliveryStatuses), isPatched: true },
  attempts: { ...number, isPatched: true },
  lastError: { ...orNull(json<string>()), isPatched: true },
  nextTryAt: { ...orNull(time), isPatched: true },
  createdAt: time,
  updatedAt: time,
  /** The thread that a message is for, and its place there; null for other deliveries. */
  thread: { ...orNull(text), isHidden: true },
  threadNumber: { ...orNull(number), isHidden: true },
})

/** One message to a receiver. Its status does not depend on the run that it reports. */
export type DeliveryRow = RowOf<typeof deliveryTable>
export type NewDelivery = NewOf<typeof deliveryTable>
export type DeliveryPatch = PatchOf<typeof deliveryTable>

export interface DeliveryFilter {
  readonly status?: DeliveryStatus
  readonly sessionId?: string
  readonly limit?: number
}
