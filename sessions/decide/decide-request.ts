import type { CallDecision, GeneralDecision } from "../../contracts/approval/decision.ts"
import type { Actor } from "../authority/actor.ts"
import type { SeenPause } from "./require-seen.ts"
import type { Delivery } from "../../engine/send-update.ts"

export interface DecideRequest extends SeenPause {
  readonly sessionId: string
  readonly runId?: string
  readonly decisions?: Readonly<Record<string, CallDecision>>
  readonly all?: GeneralDecision
  /** What happens to calls that are not listed. */
  readonly unlisted: "pending" | "reject"
  /** From now on, the tree's activities are scheduled on this worker's queue first (`adjutant resume` starts that worker). */
  readonly hostQueue?: string
  readonly delivery?: Delivery
  readonly actor: Actor
}
