import type { Actor } from "../../actor.ts"
import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { PendingApproval } from "../approval.ts"

export interface IssuedLink {
  readonly token: string
  readonly expiresAt: string
}

/** What the holder of a link may decide. */
export interface OpenedLink {
  readonly approval: PendingApproval
  readonly expiresAt: string
  /** Whose link it is. */
  readonly to: string | null
  /** The calls, by id, that an approval of the whole pause leaves pending. */
  readonly decidedById: readonly string[]
}

/** A decision on a call of the pause of a link, by whatever way it came. */
export interface LinkedDecision {
  /** The call in one line. */
  readonly call: string
  readonly action: CallDecision["action"]
  readonly by: string
  readonly via: string
  readonly at: string
}

/** A decision on a whole pause. */
export interface WholeDecision {
  /** For a question, `custom_result` with the answer as its content. */
  readonly action: CallDecision["action"]
  readonly content?: string
  /** For `edit`: all of the call's new arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** Decisions on single calls of a pause, by call id. The link stays valid for the others. */
export interface SingleDecisions {
  readonly decisions: Readonly<Record<string, CallDecision>>
}

export type LinkDecision = WholeDecision | SingleDecisions

/** Who uses a link, if the server requires a token with it. */
export interface LinkHolder {
  readonly name: string
  /** Returns whether a name is that of a token: a link to that name is only for its holder. */
  isNamed(name: string): boolean
}

/** A signed link that decides a whole pause, once, without any other authority. */
export interface LinkRequest {
  readonly checkpointId: string
  /** The holder of the link, for the audit log. */
  readonly to?: string
  /** How long the link is valid, in milliseconds. */
  readonly ttlMs?: number
  readonly actor?: Actor
}
