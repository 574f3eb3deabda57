import type { SessionEvent } from "../../../contracts/event.ts"
import type { Message } from "../../../contracts/message.ts"
import type { Status } from "../../../contracts/status.ts"

/** What clients were told: only what was acknowledged. */
export interface Told {
  /** `isSteering`: it can be kept for a run that never comes. */
  readonly messages: readonly { readonly sessionId: string; readonly text: string; readonly isSteering?: boolean }[]
  readonly decisions: readonly {
    readonly sessionId: string
    readonly callId: string
    readonly action: "accept" | "reject"
  }[]
  readonly cancels: readonly { readonly sessionId: string }[]
}

/** One effect of a call outside of the product: a line of a counter file. `key` is that of one call. */
export interface Effect {
  readonly key: string
  /** The call that had it, if that is known. */
  readonly call?: { readonly sessionId: string; readonly callId: string }
}

export interface RunHistory {
  readonly runId: string
  readonly status: Status
  /** Tokens of its ended sub-agents, as its workflow last reported them; null: it reported none. */
  readonly childrenTokens: number | null
  /** How often it was opened again. */
  readonly reopened: number
  /** Its workflow ended without running code, so that it could not report everything. */
  readonly isLost: boolean
  /** The steps that a fork began with, which have no events of their own. */
  readonly isCopied: boolean
}

export interface PauseHistory {
  readonly checkpointId: string
  readonly runId: string
  readonly isClosed: boolean
}

export interface SessionHistory {
  readonly id: string
  readonly parentId: string | null
  readonly status: Status
  readonly runId: string | null
  readonly runs: readonly RunHistory[]
  /** The transcript, in order. */
  readonly rows: readonly { readonly seq: number; readonly runId: string; readonly message: Message }[]
  readonly events: readonly SessionEvent[]
  readonly pauses: readonly PauseHistory[]
  /** Tokens of its own model calls. */
  readonly tokens: number
  /** The status of its last execution; `unknown` if the engine has none. */
  readonly engine: string
  /** Its execution stays open between its runs. */
  readonly staysOpen: boolean
}

/** What happened, as each party saw it. */
export interface History {
  readonly told: Told
  readonly effects: readonly Effect[]
  readonly sessions: readonly SessionHistory[]
}
