import type { CallDecision, GeneralDecision } from "../contracts/approval/decision.ts"
import type { Actor } from "./actor.ts"
import type { Delivery } from "../engine/send-update.ts"

/** What a decision or answer says about the pause that its author saw. */
export interface SeenPause {
  readonly checkpointId?: string | undefined
  /** The last moment at which its author can have looked at the session, in milliseconds since the epoch; absent if its sender looks now. */
  readonly seenAtMs?: number | undefined
}

export interface DecideRequest extends SeenPause {
  readonly sessionId: string
  readonly runId?: string
  readonly decisions?: Readonly<Record<string, CallDecision>>
  readonly all?: GeneralDecision
  /** What happens to calls that are not listed. */
  readonly unlisted: "pending" | "reject"
  readonly delivery?: Delivery
  readonly actor: Actor
}
