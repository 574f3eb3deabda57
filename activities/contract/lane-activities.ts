import type { AcquireMessage } from "../../domain/lane/lane-message.ts"
import type { LanePlace } from "../../domain/lane/lane-queue.ts"
import type { Outbox } from "./agent-activities.ts"
import type { RunScope } from "./run-scope.ts"

export interface AcquireSlotInput {
  readonly taskQueue: string
  readonly request: AcquireMessage
}

export interface ReleaseSlotInput {
  readonly taskQueue: string
  readonly place: LanePlace
}

/** What sessions and their lane ask of the outside world. All of it may be repeated. */
export interface LaneActivities {
  /** Asks the lane for a slot, and starts the lane where none runs. */
  acquireSlot(input: AcquireSlotInput): Promise<void>
  /** Gives the slot back, or leaves the queue. */
  releaseSlot(input: ReleaseSlotInput): Promise<void>
  /** Shows a session that waits in the queue as pending. */
  showQueued(input: RunScope & { readonly outbox: Outbox }): Promise<void>
}
