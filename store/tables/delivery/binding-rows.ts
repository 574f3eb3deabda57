import type { DeliveryPolicy } from "../../../domain/delivery/delivery-policy.ts"

/** How answers are sent to a thread, resolved when it is bound. */
export interface Outbound {
  readonly url: string
  readonly secretEnv: string
  readonly policy: DeliveryPolicy
  /** Sub-agents of the bound session may get their own threads in this channel. */
  readonly spawnSubagentSessions: boolean
}

/** A thread of a channel and the session that answers in it. A thread has one session, and a session one thread. */
export interface BindingRow {
  readonly sessionId: string
  readonly channel: string
  readonly threadKey: string
  readonly outbound: Outbound
  readonly boundAt: string
  /** When a message was last sent or received. */
  readonly activeAt: string
  /** 0: it never expires for this reason. */
  readonly idleMs: number
  readonly maxAgeMs: number
}

export type NewBinding = Omit<BindingRow, "boundAt" | "activeAt">
