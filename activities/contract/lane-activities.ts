import type { AcquireMessage } from "../../domain/lane/lane-message.ts"
import type { LanePlace } from "../../domain/lane/lane-queue.ts"
import type { Outbox } from "./agent-activities.ts"
import type { RunScope } from "./run-scope.ts"

export interface AcquireSlotInput {
  readonly taskQueue: string
  readonly request: Omit<AcquireMessage, "ticket">
  /** The run that needs the slot; its number in the store is the ticket. */
  readonly sessionRunId: string
}

export interface ReleaseSlotInput {
  readonly taskQueue: string
  readonly place: LanePlace
}

/** Activities of sessions and their lane. All of them can be repeated. */
export interface LaneActivities {
  /** Requests a slot of the lane, and starts the lane if none runs. */
  acquireSlot(input: AcquireSlotInput): Promise<void>
  /** Returns the slot, or leaves the queue. */
  releaseSlot(input: ReleaseSlotInput): Promise<void>
  /** Returns the holders whose execution has ended. */
  findEndedHolders(input: { readonly holders: readonly LanePlace[] }): Promise<readonly LanePlace[]>
  /** Shows a session that waits in the queue as pending. */
  showQueued(input: RunScope & { readonly outbox: Outbox }): Promise<void>
}
