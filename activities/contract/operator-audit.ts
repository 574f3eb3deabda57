import type { SessionMessage } from "../../domain/session/session-message.ts"
import type { Decide } from "../../contracts/approval/decision.ts"
import type { SignalsByHand } from "../../domain/session/signals-by-hand.ts"

export interface AuditInput {
  readonly sessionId: string
  readonly runId: string
  /** Decisions and messages without a valid signature: nobody else audited them. */
  readonly unsigned?: readonly string[]
  /** What the workflow made of the signals that people sent by hand; those that it has not handled yet are audited later. */
  readonly typedSignals: SignalsByHand
}

export interface AttributeInput extends Omit<AuditInput, "unsigned"> {
  readonly decide: Decide
}

export interface DecisionOrigin {
  /** A program with this store sent it, and its sender is the one that it states. */
  readonly isSigned: boolean
  /** The identity in the history; null for a signed decision, and for one that the history does not contain yet. */
  readonly by: string | null
}

export interface AttributeMessagesInput extends Omit<AuditInput, "unsigned"> {
  readonly messages: readonly SessionMessage[]
}

export interface MessageOrigins {
  /** Ids of the messages without a valid signature that the history does not contain yet. */
  readonly missing: readonly string[]
}
