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

/** Expired bindings remain until they are removed; `domain/delivery/binding-expiry.ts` determines the expiry. */
export interface Bindings {
  /** Binds a thread and a session, and removes their earlier bindings. Writes nothing for a deleted session. */
  bind(binding: NewBinding): Promise<void>
  /** Binds a thread and a session; returns false, without writing, if either already has a binding. */
  bindNew(binding: NewBinding): Promise<boolean>
  ofSession(sessionId: string): Promise<BindingRow | undefined>
  ofThread(channel: string, threadKey: string): Promise<BindingRow | undefined>
  list(): Promise<readonly BindingRow[]>
  patch(sessionId: string, patch: Partial<Pick<BindingRow, "idleMs" | "maxAgeMs">>): Promise<boolean>
  /** Records that a message was sent or received just now. */
  touch(sessionId: string): Promise<void>
  /** Removes a binding and returns it. */
  remove(sessionId: string): Promise<BindingRow | undefined>
}
