import type { DeliveryPolicy } from "../../../domain/delivery/delivery-policy.ts"

/** How answers leave for a thread: resolved when it is bound. */
export interface Outbound {
  readonly url: string
  readonly secretEnv: string
  readonly policy: DeliveryPolicy
  /** Sub-agents of the bound session may get threads of their own in this channel. */
  readonly spawnSubagentSessions: boolean
}

/** A thread of a channel and the session that answers in it. A thread has one session, and a session one thread. */
export interface BindingRow {
  readonly sessionId: string
  readonly channel: string
  readonly threadKey: string
  readonly outbound: Outbound
  readonly boundAt: string
  /** When a message last came or went. */
  readonly activeAt: string
  /** 0: it never expires that way. */
  readonly idleMs: number
  readonly maxAgeMs: number
}

export type NewBinding = Omit<BindingRow, "boundAt" | "activeAt">

/** Expired bindings stay until they are removed: `domain/binding-expiry` says which count. */
export interface Bindings {
  /** Takes the thread and the session out of the bindings that they had. Nothing is written for a deleted session. */
  bind(binding: NewBinding): Promise<void>
  /** False where a thread or a session already has one: nothing was written. */
  bindNew(binding: NewBinding): Promise<boolean>
  ofSession(sessionId: string): Promise<BindingRow | undefined>
  ofThread(channel: string, threadKey: string): Promise<BindingRow | undefined>
  list(): Promise<readonly BindingRow[]>
  patch(sessionId: string, patch: Partial<Pick<BindingRow, "idleMs" | "maxAgeMs">>): Promise<boolean>
  /** A message came or went just now. */
  touch(sessionId: string): Promise<void>
  /** Returns the binding that was removed. */
  remove(sessionId: string): Promise<BindingRow | undefined>
}
